import fc from 'fast-check'
import { categories } from './category.ts'
import {
  componentCategory,
  componentDepth,
  componentName,
  isUnspecific,
  splitComponents,
} from './components.ts'

test.each([
  ['ENGINE', 'engine'],
  ['ENGINE AND ENGINE COOLING:COOLING SYSTEM:FAN', 'engine'],
  ['fuel system, gasoline:delivery', 'engine'],
  ['VEHICLE SPEED CONTROL', 'engine'],
  ['VEHICLE SPEED CONTROL: CRUISE CONTROL', 'electrical'],
  ['POWER TRAIN:AXLE ASSEMBLY', 'transmission'],
  ['ELECTRICAL SYSTEM: INSTRUMENT CLUSTER/PANEL', 'electrical'],
  ['SERVICE BRAKES, HYDRAULIC:ANTILOCK/TRACTION CONTROL/ELECTRONIC LIMITED SLIP', 'brakes'],
  ['STRUCTURE:BODY:DOOR ', 'exterior'],
  ['VISIBILITY', 'exterior'],
  ['VISIBILITY:DEFROSTER/DEFOGGER/HVAC SYSTEM:HEATER CORE', 'interior'],
  ['EQUIPMENT:APPLIANCE:AIR CONDITIONER', 'interior'],
  ['EQUIPMENT', 'other'],
  ['TIRES:PRESSURE MONITORING AND REGULATING SYSTEMS', 'electrical'],
  ['TIRES:TREAD/BELT', 'other'],
  ['ELECTRONIC STABILITY CONTROL (ESC)', 'safety'],
  ['LANE DEPARTURE: BLIND SPOT DETECTION', 'safety'],
  ['COMMUNICATIONS:HORN ASSEMBLY', 'electrical'],
  ['Other/I am not sure ', 'other'],
  ['SOMETHING NEW', 'other'],
  ['', 'other'],
])('%j is %s', (path, category) => {
  expect(componentCategory(path)).toBe(category)
})

test.each([
  ['UNKNOWN OR OTHER', true],
  ['OTHER', true],
  ['Other/I am not sure ', true],
  ['', true],
  ['TIRES', false],
  ['EQUIPMENT:OTHER', false],
])('%j says nothing about the part: %p', (path, expected) => {
  expect(isUnspecific(path)).toBe(expected)
})

test.each([
  ['POWER TRAIN:AUTOMATIC TRANSMISSION', 'Power Train: Automatic Transmission', 2],
  ['FORWARD COLLISION AVOIDANCE: WARNINGS', 'Forward Collision Avoidance: Warnings', 2],
  ['STRUCTURE:BODY:DOOR ', 'Structure: Body: Door', 3],
  ['ELECTRONIC STABILITY CONTROL (ESC)', 'Electronic Stability Control (ESC)', 1],
  ['VISIBILITY:DEFROSTER/DEFOGGER/HVAC SYSTEM', 'Visibility: Defroster/Defogger/HVAC System', 2],
  ['ENGINE AND ENGINE COOLING', 'Engine and Engine Cooling', 1],
  [
    'POWER TRAIN:AUTOMATIC TRANSMISSION:CONTROL MODULE (TCM/PCM/TECM)',
    'Power Train: Automatic Transmission: Control Module (TCM/PCM/TECM)',
    3,
  ],
])('%j is shown as %j', (path, name, depth) => {
  expect(componentName(path)).toBe(name)
  expect(componentDepth(path)).toBe(depth)
})

test.each([
  ['STRUCTURE,UNKNOWN OR OTHER', ['STRUCTURE', 'UNKNOWN OR OTHER']],
  ['FUEL SYSTEM, GASOLINE,ENGINE', ['FUEL SYSTEM, GASOLINE', 'ENGINE']],
  ['FUEL SYSTEM,GASOLINE', ['FUEL SYSTEM, GASOLINE']],
  ['ENGINE, STEERING', ['ENGINE', 'STEERING']],
  ['VISIBILITY:GLASS, SIDE/REAR,SEATS', ['VISIBILITY:GLASS, SIDE/REAR', 'SEATS']],
  [
    'SERVICE BRAKES, HYDRAULIC:FOUNDATION COMPONENTS:HOSES, LINES/PIPING, AND FITTINGS,SERVICE BRAKES, AIR',
    [
      'SERVICE BRAKES, HYDRAULIC:FOUNDATION COMPONENTS:HOSES, LINES/PIPING, AND FITTINGS',
      'SERVICE BRAKES, AIR',
    ],
  ],
  ['Chest Clip, Buckle, Harness,CHILD SEAT', ['Chest Clip, Buckle, Harness', 'CHILD SEAT']],
  ['SOMETHING NEW, AND LONG,ENGINE', ['SOMETHING NEW, AND LONG', 'ENGINE']],
  ['', []],
])('%j of the API is %j', (text, paths) => {
  expect(splitComponents(text)).toEqual(paths)
})

test('any path has one of the ten categories', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (path) => {
      expect(categories).toContain(componentCategory(path))
      expect(componentCategory(`ENGINE:${path}`)).toBe('engine')
    }),
  )
})
