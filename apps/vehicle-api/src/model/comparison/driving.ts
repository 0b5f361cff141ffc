import { bodyClassOf, type BodyClass } from './body-class.ts'

/** What is known of how a vehicle drives; ratings are those of the crash tests. */
export type Dynamics = {
  /** Key of the model. */
  readonly model: string
  /** Half the track width over the height of the centre of gravity, about 1.0 to 1.5. */
  readonly staticStabilityFactor: number | null
  /** As in the ratings, such as `FWD`. */
  readonly driveTrain: string | null
  readonly bodyStyle: string | null
  readonly vehicleType: string | null
}

/**
 * How much fun a vehicle is to drive, 0 to 1, as far as its shape tells: the class of its body (0.7), how hard it is
 * to tip over (0.2), driven rear wheels (0.1). Engine power and weight, which matter more, are not in the data. Only
 * an order among few vehicles should be read from it.
 * @returns null where the class is unknown
 */
export function drivingIndex(dynamics: Dynamics): number | null {
  const body = bodyClassOf(dynamics)
  if (body === null) return null
  const stability = dynamics.staticStabilityFactor ?? typicalStability[body]
  const steadiness = Math.min(1, Math.max(0, (stability - 1) / 0.5))
  return 0.7 * appeal[body] + 0.2 * steadiness + 0.1 * rearShare(dynamics.driveTrain)
}

/** All wheels are worth half of the rear ones alone. */
function rearShare(driveTrain: string | null): number {
  const name = (driveTrain ?? '').toUpperCase()
  if (/RWD|REAR/.test(name)) return 1
  return /AWD|4WD|4X4|ALL|FOUR/.test(name) ? 0.5 : 0
}

const appeal: Readonly<Record<BodyClass, number>> = {
  ...{ roadster: 1, coupe: 0.9, hatchback: 0.6, sedan: 0.5 },
  ...{ wagon: 0.4, suv: 0.25, pickup: 0.15, van: 0 },
}

const typicalStability: Readonly<Record<BodyClass, number>> = {
  ...{ roadster: 1.5, coupe: 1.45, hatchback: 1.38, sedan: 1.4 },
  ...{ wagon: 1.35, suv: 1.2, pickup: 1.2, van: 1.25 },
}
