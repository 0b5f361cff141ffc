import fc from 'fast-check'
import { displayName } from './display-name.ts'
import {
  canonicalVehicle,
  isModelYear,
  makeAliases,
  makeKey,
  modelAliases,
  slug,
  vehicleKey,
} from './names.ts'

test.each([
  ['F-150', 'f150', 'f-150'],
  ['f150', 'f150', 'f150'],
  ['F 150', 'f150', 'f-150'],
  ['Mercedes-Benz', 'mercedesbenz', 'mercedes-benz'],
  ['MERCEDES BENZ', 'mercedesbenz', 'mercedes-benz'],
  ['Citroën', 'citroen', 'citroen'],
  ['Town & Country', 'townandcountry', 'town-and-country'],
  [' C-HR ', 'chr', 'c-hr'],
  ['ID.4', 'id4', 'id-4'],
])('%j has the key %j and the slug %j', (name, key, inPath) => {
  expect([vehicleKey(name), slug(name)]).toEqual([key, inPath])
})

test('a slug has the key of its name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
      expect(vehicleKey(slug(name))).toBe(vehicleKey(name))
      expect(slug(slug(name))).toBe(slug(name))
      expect(slug(name)).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/)
    }),
  )
})

test.each([
  ['FORD', 'Ford'],
  ['BMW', 'BMW'],
  ['GMC', 'GMC'],
  ['MERCEDES-BENZ', 'Mercedes-Benz'],
  ['F-150', 'F-150'],
  ['CX-5', 'CX-5'],
  ['RAM 1500', 'RAM 1500'],
  ['ES 350', 'ES 350'],
  ['GRAND CHEROKEE', 'Grand Cherokee'],
  ['4RUNNER', '4Runner'],
  ['HHR', 'HHR'],
  ['PARK AND RIDE', 'Park and Ride'],
  ['ABS AND TRACTION CONTROL', 'ABS and Traction Control'],
  ['bZ4X', 'bZ4X'],
])('%j is shown as %j', (text, expected) => {
  expect(displayName(text)).toBe(expected)
})

describe('a vehicle', () => {
  test.each([
    ['FORD', 'F-150', 'ford/f150', 'Ford F-150', null],
    ['FORD', 'F150 SUPERCREW', 'ford/f150', 'Ford F-150', 'SuperCrew'],
    ['FORD', 'F-150 REGULAR CAB', 'ford/f150', 'Ford F-150', 'Regular Cab'],
    ['FORD', 'F-250 SD', 'ford/f250', 'Ford F-250', 'Super Duty'],
    ['FORD', 'FORD FOCUS', 'ford/focus', 'Ford Focus', null],
    ['LAND ROVER', 'LAND ROVER DISCOVERY', 'landrover/discovery', 'Land Rover Discovery', null],
    [
      'LAND ROVER',
      'RANGE ROVER SPORT PHEV',
      'landrover/rangeroversport',
      'Land Rover Range Rover Sport',
      'PHEV',
    ],
    ['FORD', 'F53', 'ford/f53', 'Ford F-53', null],
    ['FORD', 'FUSION ENERGI', 'ford/fusion', 'Ford Fusion', 'Energi'],
    ['FORD', 'ESCAPE HYBRID', 'ford/escape', 'Ford Escape', 'Hybrid'],
    ['FORD', 'BRONCO SPORT', 'ford/broncosport', 'Ford Bronco Sport', null],
    ['FORD', 'MUSTANG MACH E', 'ford/mustangmache', 'Ford Mustang Mach-E', null],
    ['FORD', 'F-150 LIGHTNING BEV', 'ford/f150lightning', 'Ford F-150 Lightning', 'BEV'],
    ['CHEVY', 'SILVERADO 1500 CREW CAB', 'chevrolet/silverado1500', 'Chevrolet Silverado 1500', 'Crew Cab'],
    ['CHEVROLET', 'BOLT EV', 'chevrolet/boltev', 'Chevrolet Bolt EV', null],
    ['TOYOTA', 'CAMRY HYBRID', 'toyota/camry', 'Toyota Camry', 'Hybrid'],
    ['TOYOTA', 'COROLLA CROSS HYBRID', 'toyota/corollacross', 'Toyota Corolla Cross', 'Hybrid'],
    ['TOYOTA', 'CHR', 'toyota/chr', 'Toyota C-HR', null],
    ['MERCEDES BENZ', 'C300', 'mercedesbenz/cclass', 'Mercedes-Benz C-Class', 'C300'],
    ['MERCEDES-BENZ', 'C-CLASS', 'mercedesbenz/cclass', 'Mercedes-Benz C-Class', null],
    ['MERCEDES', 'AMG GLC63 S', 'mercedesbenz/glc', 'Mercedes-Benz GLC', 'AMG GLC63 S'],
    ['MERCEDES-BENZ', 'EQE SUV 350+', 'mercedesbenz/eqesuv', 'Mercedes-Benz EQE SUV', 'EQE SUV 350+'],
    ['BMW', '328XI', 'bmw/3series', 'BMW 3 Series', '328XI'],
    ['BMW', 'M3', 'bmw/m3', 'BMW M3', null],
    ['BMW', 'R 1200 GS', 'bmw/r1200gs', 'BMW R 1200 GS', null],
    ['VW', 'ID 4', 'volkswagen/id4', 'Volkswagen ID.4', null],
    ['PORSCHE', '911 CARRERA 4S', 'porsche/911', 'Porsche 911', 'Carrera 4S'],
    ['VOLVO', 'XC90PHEV', 'volvo/xc90', 'Volvo XC90', 'XC90PHEV'],
    ['MAZDA', 'MAZDA 3', 'mazda/mazda3', 'Mazda Mazda3', null],
    ['DODGE', 'RAM 1500', 'dodge/ram1500', 'Dodge RAM 1500', null],
    ['CHRYSLER', 'TOWN & COUNTRY', 'chrysler/townandcountry', 'Chrysler Town and Country', null],
    ['LINCOLN', 'AVIATOR / MKT', 'lincoln/aviatormkt', 'Lincoln Aviator / MKT', null],
    ['CORVANE', 'ALDERA 4WD', 'corvane/aldera', 'Corvane Aldera', '4WD'],
    ['CORVANE', 'HYBRID', 'corvane/hybrid', 'Corvane Hybrid', null],
  ])('%s %s is %s', (makeText, modelText, keys, names, trim) => {
    const vehicle = canonicalVehicle(makeText, modelText)
    expect('reason' in vehicle ? vehicle : describeVehicle(vehicle)).toEqual([keys, names, trim])
  })

  test.each([
    ['mercedes', 'eqs-suv-450', 'mercedesbenz', 'eqssuv'],
    ['chevy', 'silverado-1500-crew-cab', 'chevrolet', 'silverado1500'],
    ['bmw', 'activehybrid-5', 'bmw', '5series'],
    ['vw', 'golf-gti', 'volkswagen', 'gti'],
    ['mercedes-benz', 'c300', 'mercedesbenz', 'cclass'],
    ['chrysler', 'town-and-country', 'chrysler', 'townandcountry'],
  ])('is found by its slug: %s/%s is %s/%s', (make, model, makeOf, modelOf) => {
    expect(canonicalVehicle(make, model)).toMatchObject({ make: makeOf, model: modelOf })
  })

  test.each([
    ['FORD', 'ENGINE & ENGINE COOLING', /is no model/],
    ['FORD', 'AIR BAG', /is no model/],
    ['FORD', 'FORD', /names no model/],
    ['FORD', ' - ', /names no model/],
    ['FORD', 'UNKNOWN', /is no model/],
    ['', 'F-150', /names no make/],
    ['FORD', 'F-150 '.repeat(99), /too long/],
  ])('is not what %j %j names', (make, model, reason) => {
    expect(canonicalVehicle(make, model)).toEqual({ reason: expect.stringMatching(reason) })
  })

  test('keeps its keys when it is read again', () => {
    const names = [...modelAliases.values(), ...modelAliases.keys()]
    for (const name of names) {
      const [make = '', model = ''] = name.split('/')
      const vehicle = canonicalVehicle(make, model)
      if ('reason' in vehicle) throw new Error(name)
      expect(canonicalVehicle(vehicle.makeName, vehicle.modelName)).toMatchObject({
        ...{
          make: vehicle.make,
          model: vehicle.model,
          makeName: vehicle.makeName,
          modelName: vehicle.modelName,
        },
      })
    }
  })

  test('of any text has keys of letters and digits, or none with a reason', () => {
    const text = fc.string({ unit: 'binary', maxLength: 25 })
    fc.assert(
      fc.property(text, text, (make, model) => {
        const vehicle = canonicalVehicle(make, model)
        if ('reason' in vehicle) expect(vehicle.reason).toMatch(/\.$/)
        else expect(`${vehicle.make}/${vehicle.model}`).toMatch(/^[a-z0-9]+\/[a-z0-9]+$/)
      }),
    )
  })
})

function describeVehicle(vehicle: Exclude<ReturnType<typeof canonicalVehicle>, { reason: string }>) {
  const { make, model, makeName, modelName, trim } = vehicle
  return [`${make}/${model}`, `${makeName} ${modelName}`, trim]
}

test.each([
  ['vw', 'volkswagen'],
  ['Chevy', 'chevrolet'],
  ['MERCEDES', 'mercedesbenz'],
  ['Range Rover', 'landrover'],
  ['Corvane', 'corvane'],
])('the make %s is %s', (text, key) => {
  expect(makeKey(text)).toBe(key)
})

test('other spellings lead to makes and models that are no other spelling themselves', () => {
  for (const aliases of [makeAliases, modelAliases]) {
    expect(aliases.size).toBeGreaterThan(20)
    for (const key of aliases.values()) expect(aliases.has(key)).toBe(false)
  }
})

test.each([
  [1949, false],
  [1950, true],
  [2028, true],
  [2029, false],
  [2018.5, false],
])('%d as a model year in 2026: %p', (year, expected) => {
  expect(isModelYear(year, 2026)).toBe(expected)
})
