import { minimumAge } from '../age.ts'
import type { BasisFit, ReliabilityFit } from '../reliability-fit.ts'
import { severityWeight, systemWeights } from '../severity.ts'
import { exposureBases, type ExposureBasis, type VehicleCounts } from '../vehicle-counts.ts'
import type { VehicleScore } from '../vehicle-score.ts'
import { fitBasis, minimumComplaints } from './basis-fit.ts'
import { crashOffset, kappa, maximumAge } from './exposure.ts'
import { confidenceWidths, interval, measureOn } from './measure.ts'
import { minimumPopulation } from './scale.ts'

/**
 * Method rel-1. Each vehicle is scored by how many weighted complaints it has for the use it gets, among all
 * vehicles whose use is known from the same kind of data. A kind that fewer than ten vehicles share is not used:
 * a place among so few says nothing.
 * @param asOf date of the newest complaint, `YYYY-MM-DD`
 * @returns scores in the order of the vehicles
 */
export function fitReliability(
  vehicles: readonly VehicleCounts[],
  asOf: string,
): { fit: ReliabilityFit; scores: VehicleScore[] } {
  const bases = fitBases(vehicles, asOf)
  return {
    fit: {
      ...{ method: 'rel-1', asOf, kappa, crashOffset, maximumAge, minimumAge, minimumComplaints },
      ...{ minimumPopulation, interval, confidenceWidths, systemWeights, severityWeights, bases },
    },
    scores: vehicles.map((vehicle) => scoreVehicle(vehicle, bases, asOf)),
  }
}

/** The score of a vehicle under a fit, which it need not have been part of. */
export function scoreVehicle(
  vehicle: VehicleCounts,
  bases: ReliabilityFit['bases'],
  asOf: string,
): VehicleScore {
  const { make, model, year, units } = vehicle
  const background = measureOn(vehicle, 'crash_background', bases.crash_background, asOf)
  const better = units === null ? undefined : bases[units.basis]
  if (units === null || better === undefined) return { make, model, year, ...background, background: null }
  return { make, model, year, ...measureOn(vehicle, units.basis, better, asOf), background }
}

function fitBases(vehicles: readonly VehicleCounts[], asOf: string): ReliabilityFit['bases'] {
  const better = exposureBases.flatMap((basis): [ExposureBasis, BasisFit][] => {
    const own = vehicles.filter(({ units }) => units?.basis === basis)
    const fit = own.length < minimumPopulation ? null : fitBasis(own, basis, asOf)
    return fit === null || fit.vehicles < minimumPopulation ? [] : [[basis, fit]]
  })
  return { ...Object.fromEntries(better), crash_background: fitBasis(vehicles, 'crash_background', asOf) }
}

const harmless = { crash: false, fire: false, injuries: 0, deaths: 0 }
const severityWeights: ReliabilityFit['severityWeights'] = {
  none: severityWeight(harmless),
  crash: severityWeight({ ...harmless, crash: true }),
  fire: severityWeight({ ...harmless, fire: true }),
  injury: severityWeight({ ...harmless, injuries: 1 }),
  death: severityWeight({ ...harmless, deaths: 1 }),
  all: severityWeight({ crash: true, fire: true, injuries: 1, deaths: 1 }),
}
