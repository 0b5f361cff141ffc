export type BodyClass = 'roadster' | 'coupe' | 'hatchback' | 'sedan' | 'wagon' | 'suv' | 'pickup' | 'van'

/** By the name of the model where it is well known, else by the words of the crash-test ratings; null if neither. */
export function bodyClassOf({ model, bodyStyle, vehicleType }: NamedBody): BodyClass | null {
  const known = classOfModel.get(model)
  if (known !== undefined) return known
  const words = `${bodyStyle ?? ''} ${vehicleType ?? ''}`.toLowerCase()
  return patterns.find(([pattern]) => pattern.test(words))?.[1] ?? null
}

type NamedBody = {
  /** Key of the model. */
  readonly model: string
  readonly bodyStyle: string | null
  readonly vehicleType: string | null
}

/** The first that fits: a convertible is often called a coupe too. */
const patterns: readonly (readonly [RegExp, BodyClass])[] = [
  [/convertible|roadster|spyder|cabrio/, 'roadster'],
  [/\bvan\b|minivan/, 'van'],
  [/pick-?up|\bpu\b|truck|\bcab\b/, 'pickup'],
  [/\bsuv\b|utility|crossover/, 'suv'],
  [/wagon|\bsw\b/, 'wagon'],
  [/hatch|\b[35]-? ?d(oo)?r\b|\b[35]hb\b/, 'hatchback'],
  [/coupe|\b2-? ?d(oo)?r\b/, 'coupe'],
  [/sedan|\b4-? ?d(oo)?r\b|passenger car/, 'sedan'],
]

/** Keys of models whose name alone tells, from general knowledge. */
const modelsOf: Readonly<Record<BodyClass, string>> = {
  roadster: 'boxster mx5 mx5miata miata s2000 solstice sky z3 z4 slk spyder 124spider',
  coupe:
    '86 911 370z 350z amgt brz camaro cayman challenger corvette frs gr86 gt86 mustang rc rcf supra tt 718cayman',
  hatchback: 'bolt chr fiesta fit gti golf leaf prius priusc soul spark versanote yaris',
  sedan:
    'accord altima avalon camry charger civic cobalt corolla cruze elantra focus fusion impala ion jetta legacy malibu model3 models optima panamera passat sentra sonata taurus taycan versa',
  wagon: 'crosstrek hhr outback flex',
  suv: '4runner cayenne compass crv edge equinox escalade escape expedition explorer forester grandcherokee highlander liberty macan modelx modely murano pathfinder pilot rav4 rogue santafe sorento sportage tahoe traverse tucson wrangler',
  pickup:
    'colorado f150 f250 f350 frontier maverick ranger ridgeline sierra1500 silverado silverado1500 tacoma titan tundra',
  van: 'caravan grandcaravan odyssey pacifica sedona sienna transit transitconnect towncountry',
}

const classOfModel = new Map<string, BodyClass>(
  Object.entries(modelsOf).flatMap(([body, models]) =>
    models.split(' ').map((model): [string, BodyClass] => [model, body as BodyClass]),
  ),
)
