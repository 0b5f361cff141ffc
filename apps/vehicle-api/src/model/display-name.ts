/**
 * A name that a file has in capitals as people write it: words in title case, abbreviations and anything with a
 * digit as they are. `FORD` is `Ford`, `GMC`, `F-150`, `CX-5` stay, `RAM 1500`, `ES 350` stay.
 */
export function displayName(text: string): string {
  const name = text.trim().replaceAll(/\s+/g, ' ')
  // Who wrote small letters has chosen them.
  if (/[a-z]/.test(name) && /[A-Z]/.test(name)) return name
  return name
    .toUpperCase()
    .replaceAll(/[\p{L}\d]+(?:'[\p{L}]+)?/gu, displayWord)
    .replace(/^\p{Ll}/u, upper)
}

function displayWord(word: string, at: number): string {
  const special = specialWords.get(word)
  if (special !== undefined) return special
  if (/\d/.test(word)) return word
  if (smallWords.has(word)) return at === 0 ? capitalised(word) : word.toLowerCase()
  if (word.length <= 3) return shortWords.has(word) ? capitalised(word) : word
  return /[AEIOUY]/.test(word) ? capitalised(word) : word
}

function capitalised(word: string): string {
  return word.slice(0, 1) + word.slice(1).toLowerCase()
}

function upper(letter: string): string {
  return letter.toUpperCase()
}

const smallWords: ReadonlySet<string> = new Set([
  'AND',
  'OF',
  'OR',
  'THE',
  'IN',
  'ON',
  'FOR',
  'TO',
  'WITH',
  'ETC',
])

/** Words of up to three letters that are no abbreviations. */
const shortWords: ReadonlySet<string> = new Set(
  `ACE AGE AIR ALL ARM AXE BAG BAR BAY BED BIG BOX BUS BUY CAB CAN CAP CAR CUP DAY DEL DOT DRY DUO END EOS EVO EYE FAN FIT FLY FOX GAS
  GEO GOL HOT HUB ICE ION JET JOB KEY KIA LAP LID LOW MAX MAY MID MIX NEW NOT OIL OLD ONE OUT OX PAD PAN PIN POD PRO RAY RED RIM RIO ROD
  SEA SET SIX SKY SOL SUB SUN TAG TAX TEN TIE TIN TOP TOW TOY TUB TWO UP VAN WAY WET WHY YES ZAP`.split(
    /\s+/,
  ),
)

/** Words that are written in another way than the rules would have it. */
const specialWords: ReadonlyMap<string, string> = new Map(
  `4Runner 4MATIC allroad BrightDrop bZ4X CrossCabriolet CrewMax DeVille EcoBoost EcoSport EDV EUV e-tron FCCC fortwo GranTurismo GranCabrio Koup KZRV LaCrosse
  LeBaron LeMans LeSabre Mazda2 Mazda3 Mazda5 Mazda6 Mazdaspeed3 Mazdaspeed6 McLaren MINI ProMaster quattro
  SuperCab SuperCrew SportWagen TopKick VehiCROSS VinFast xDrive PHEV ABS ESC HVAC EGR TCM PCM TECM PRNDL CVT
  AC FWD AWD RWD LATCH DRL TPMS SRS ECU ECM DEF DPF LED USB GPS VIN V6 V8 4WD 2WD EV HEV BEV MacPherson`
    .split(/\s+/)
    .map((word): [string, string] => [word.toUpperCase(), word]),
)
