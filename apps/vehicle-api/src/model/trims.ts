/** Words at the end of a model's name that name a variant of it, whatever the make. */
export const trimWords: ReadonlySet<string> = new Set(
  `REGULAR REG CREW EXTENDED EXT STANDARD DOUBLE QUAD MEGA KING CLUB ACCESS CAB CABS SUPERCREW SUPERCAB CREWMAX CREWCAB
  HYBRID PHEV HEV BEV PLUG ENERGI ELECTRIC DIESEL TDI CNG FFV 4XE
  2WD 4WD AWD FWD RWD 4X2 4X4 4MATIC XDRIVE QUATTRO
  SEDAN WAGON HATCHBACK CONVERTIBLE CABRIOLET 2DR 3DR 4DR 5DR DR DOOR PICKUP`
    .trim()
    .split(/\s+/),
)

/** Makes that name models after their engines: the model is the class or series, the text its trim. */
export const modelPatterns: readonly {
  readonly of: string
  readonly pattern: RegExp
  readonly name: string
}[] = [
  // 328I, 335XI, 330I XDRIVE, M340I, ACTIVEHYBRID 5
  { of: 'bmw', pattern: /^M?([1-8])\d{2}(?:[A-Z]{0,3})\b.*$/i, name: '$1 Series' },
  { of: 'bmw', pattern: /^ActiveHybrid[ -]?([3-7])\b.*$/i, name: '$1 Series' },
  // A 220, C300, E350 4MATIC, S 560 E, AMG C63 S, C-Class
  {
    of: 'mercedesbenz',
    pattern: /^(?:AMG[ -])?([ABCEGRS])(?:[ -]?\d{2,3}(?!\d).*|[ -]?Class\b.*)$/i,
    name: '$1-Class',
  },
  {
    of: 'mercedesbenz',
    pattern: /^(?:AMG[ -])?(?:ML|M)(?:[ -]?\d{2,3}(?!\d).*|[ -]?Class\b.*)$/i,
    name: 'M-Class',
  },
  // The sport utility EQE and EQS are other cars than the saloons.
  { of: 'mercedesbenz', pattern: /^(?:AMG[ -])?(EQ[ES])[ -]SUV\b.*$/i, name: '$1 SUV' },
  { of: 'mercedesbenz', pattern: /^AMG[ -]GT[ -]?\d{2}(?!\d).*$/i, name: 'AMG GT' },
  // CLA250, GLC 300, EQB 250+, SL-Class
  {
    of: 'mercedesbenz',
    pattern:
      /^(?:AMG[ -]|Maybach[ -])?(CLA|CLE|CLK|CLS|CL|EQB|EQC|EQE|EQS|GLA|GLB|GLC|GLE|GLK|GLS|GL|SLC|SLK|SLR|SLS|SL)(?:[ -]?(?:\d{2,3}(?!\d)|Class\b).*)?$/i,
    name: '$1',
  },
  // XC90PHEV, V60CC, S60L
  { of: 'volvo', pattern: /^(XC40|XC60|XC90|C40|EX30|S60|S80|S90|V60|V90)(?:PHEV|BEV|CC|L)$/i, name: '$1' },
]
