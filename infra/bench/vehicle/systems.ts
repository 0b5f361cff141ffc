/** A system of a vehicle as owners complain about it. */
export type System = {
  /** Component paths of the official file: before and since 2013. */
  readonly paths: readonly [string, string]
  /** How often it is complained about, relative to the others: the shares of the official file, rounded. */
  readonly share: number
  readonly parts: readonly string[]
  readonly symptoms: readonly string[]
  /** US dollars of a typical repair. */
  readonly cost: number
}

export const systems = {
  engine: {
    paths: ['ENGINE AND ENGINE COOLING:ENGINE:GASOLINE', 'ENGINE'],
    share: 22,
    parts: ['timing chain', 'head gasket', 'water pump', 'fuel injector', 'oil pump', 'turbocharger'],
    symptoms: [
      ...['the engine stalled without warning', 'the vehicle lost power and the check engine light came on'],
      ...['excessive oil consumption was noticed', 'the engine overheated and steam came out of the hood'],
      'a loud knocking noise came from the engine',
    ],
    cost: 2_400,
  },
  transmission: {
    paths: ['POWER TRAIN:AUTOMATIC TRANSMISSION', 'POWER TRAIN'],
    share: 10,
    parts: ['transmission', 'torque converter', 'valve body', 'clutch pack', 'transfer case'],
    symptoms: [
      ...['the transmission slipped and jerked violently', 'the vehicle hesitated and then lurched forward'],
      ...['the transmission shuddered between second and third gear', 'the gears would not engage at all'],
    ],
    cost: 3_300,
  },
  electrical: {
    paths: ['ELECTRICAL SYSTEM:BATTERY', 'ELECTRICAL SYSTEM'],
    share: 14,
    parts: ['battery', 'alternator', 'wiring harness', 'ignition switch', 'instrument cluster'],
    symptoms: [
      ...['all dashboard lights flickered and went out', 'the battery drained overnight for no reason'],
      ...['the infotainment screen went black', 'the vehicle would not start'],
    ],
    cost: 850,
  },
  brakes: {
    paths: ['SERVICE BRAKES, HYDRAULIC:ANTILOCK/TRACTION CONTROL/ELECTRONIC LIMITED SLIP', 'SERVICE BRAKES'],
    share: 9,
    parts: ['brake booster', 'master cylinder', 'ABS module', 'brake rotor', 'caliper'],
    symptoms: [
      ...['the brake pedal traveled to the floorboard', 'the brakes ground and pulsated when stopping'],
      'the pedal became hard and the vehicle failed to stop in time',
    ],
    cost: 900,
  },
  steering: {
    paths: ['STEERING:ELECTRIC POWER ASSIST SYSTEM', 'STEERING'],
    share: 6,
    parts: ['power steering motor', 'steering rack', 'steering column', 'tie rod'],
    symptoms: [
      ...['the steering wheel seized and became very heavy', 'the vehicle pulled sharply to the left'],
      'the power steering failed during a turn',
    ],
    cost: 1_400,
  },
  suspension: {
    paths: ['SUSPENSION:FRONT:CONTROL ARM:LOWER BALL JOINT', 'SUSPENSION'],
    share: 4,
    parts: ['control arm', 'ball joint', 'strut', 'coil spring'],
    symptoms: [
      'a clunking noise came from the front wheels over bumps',
      'the front end shook violently at highway speed',
    ],
    cost: 780,
  },
  interior: {
    paths: ['SEATS:FRONT ASSEMBLY:SEAT HEATER/COOLER', 'SEATS'],
    share: 2,
    parts: ['seat heater', 'seat track', 'blower motor'],
    symptoms: [
      'the seat became extremely hot and burned through the cover',
      'the seat would not lock in place',
    ],
    cost: 600,
  },
  exterior: {
    paths: ['STRUCTURE:BODY:DOOR ', 'STRUCTURE'],
    share: 9,
    parts: ['door latch', 'windshield', 'sunroof glass', 'liftgate strut'],
    symptoms: [
      ...['the door opened by itself while driving', 'the sunroof exploded without any impact'],
      'rust had perforated the frame',
    ],
    cost: 700,
  },
  safety: {
    paths: ['AIR BAGS:FRONTAL', 'AIR BAGS'],
    share: 13,
    parts: ['air bag sensor', 'clock spring', 'seat belt pretensioner', 'forward camera'],
    symptoms: [
      ...['the air bag light stayed on', 'the air bags failed to deploy in a collision'],
      'the automatic emergency braking engaged with no obstacle ahead',
    ],
    cost: 950,
  },
  other: {
    paths: ['TIRES:TREAD/BELT', 'UNKNOWN OR OTHER'],
    share: 11,
    parts: ['tire', 'wheel', 'lug nut'],
    symptoms: ['the tread separated from the tire', 'a strange odor filled the cabin'],
    cost: 400,
  },
} satisfies Record<string, System>

export type SystemName = keyof typeof systems
