import type { Category } from './category.ts'

/**
 * Category by component path; the longest prefix wins. Judgement calls: speed control is how the engine performs;
 * stability and traction control avoid crashes (safety), while antilock belongs to the brakes; lights are
 * electrical; a rusting frame is exterior; tyres and wheels have no category of their own; a high-voltage battery is
 * electrical under ELECTRICAL SYSTEM and engine under FUEL/PROPULSION SYSTEM.
 */
export const componentPrefixes: Readonly<Record<string, Category>> = {
  ENGINE: 'engine',
  'FUEL SYSTEM': 'engine',
  'FUEL/PROPULSION SYSTEM': 'engine',
  'HYBRID PROPULSION SYSTEM': 'engine',
  'VEHICLE SPEED CONTROL': 'engine',

  'POWER TRAIN': 'transmission',

  'ELECTRICAL SYSTEM': 'electrical',
  'VEHICLE SPEED CONTROL:CRUISE CONTROL': 'electrical',
  'EXTERIOR LIGHTING': 'electrical',
  'INTERIOR LIGHTING': 'electrical',
  COMMUNICATION: 'electrical',
  'EQUIPMENT:ELECTRICAL': 'electrical',
  'TIRES:PRESSURE MONITORING': 'electrical',

  'SERVICE BRAKES': 'brakes',
  'PARKING BRAKE': 'brakes',

  SUSPENSION: 'suspension',

  STEERING: 'steering',

  SEATS: 'interior',
  'VISIBILITY:DEFROSTER/DEFOGGER/HVAC': 'interior',
  'EQUIPMENT:APPLIANCE:AIR CONDITIONER': 'interior',

  STRUCTURE: 'exterior',
  'LATCHES/LOCKS/LINKAGES': 'exterior',
  VISIBILITY: 'exterior',

  'AIR BAGS': 'safety',
  'SEAT BELTS': 'safety',
  'CHILD SEAT': 'safety',
  'FORWARD COLLISION AVOIDANCE': 'safety',
  'LANE DEPARTURE': 'safety',
  'BACK OVER PREVENTION': 'safety',
  'ELECTRONIC STABILITY CONTROL': 'safety',
  'TRACTION CONTROL SYSTEM': 'safety',
  'CHEST CLIP, BUCKLE, HARNESS': 'safety',
  'CARRY HANDLE, SHELL, BASE': 'safety',
  'INSERT, PADDING': 'safety',
  'TETHER, LOWER ANCHOR': 'safety',

  EQUIPMENT: 'other',
  WHEELS: 'other',
  TIRES: 'other',
  TRAILER: 'other',
  FIRERELATED: 'other',
  ROLLOVER: 'other',
  'UNKNOWN OR OTHER': 'other',
  OTHER: 'other',
  NONE: 'other',
  'I SUSPECT THE CAR SEAT IS COUNTERFEIT': 'other',
}

/** Components that say nothing about the part. */
export const unspecificComponents: ReadonlySet<string> = new Set([
  ...['', 'UNKNOWN OR OTHER', 'OTHER', 'NONE', 'OTHER/UNKNOWN', 'OTHER/I AM NOT SURE', 'FIRERELATED'],
])

/** Names with commas in them, each cut at its commas. */
export const namesWithCommas: readonly (readonly [string, ...string[]])[] = [
  ['FUEL SYSTEM', 'GASOLINE'],
  ['FUEL SYSTEM', 'DIESEL'],
  ['FUEL SYSTEM', 'OTHER'],
  ['SERVICE BRAKES', 'HYDRAULIC'],
  ['SERVICE BRAKES', 'AIR'],
  ['SERVICE BRAKES', 'ELECTRIC'],
  ['GLASS', 'SIDE/REAR'],
  ['HOSES', 'LINES/PIPING', 'AND FITTINGS'],
  ['HOSE', 'PIPING', 'AND CONNECTIONS'],
  ['CHEST CLIP', 'BUCKLE', 'HARNESS'],
  ['CARRY HANDLE', 'SHELL', 'BASE'],
  ['INSERT', 'PADDING'],
  ['TETHER', 'LOWER ANCHOR'],
]
