import type { Column } from './columns.ts'
import type { TableKind, Values } from './stage.ts'

/** Suffix, alias of the Hub export, type, whether every version since v1.18 has it. */
const wildfireColumns: readonly (readonly [string, string, Column['type'], boolean])[] = [
  ['EVNTS', 'Number of Events', 'amount', false],
  ['AFREQ', 'Annualized Frequency', 'share', true],
  ['EXP_AREA', 'Exposure - Impacted Area', 'amount', false],
  ['EXPB', 'Exposure - Building Value', 'amount', true],
  ['EXPP', 'Exposure - Population', 'amount', true],
  ['EXPPE', 'Exposure - Population Equivalence', 'amount', true],
  ['EXPA', 'Exposure - Agriculture Value', 'amount', true],
  ['EXPT', 'Exposure - Total', 'amount', true],
  ['HLRB', 'Historic Loss Ratio - Buildings', 'share', true],
  ['HLRP', 'Historic Loss Ratio - Population', 'share', true],
  ['HLRA', 'Historic Loss Ratio - Agriculture', 'share', true],
  ['HLRR', 'Historic Loss Ratio - Total Rating', 'rating', true],
  ['EALB', 'Expected Annual Loss - Building Value', 'amount', true],
  ['EALP', 'Expected Annual Loss - Population', 'amount', true],
  ['EALPE', 'Expected Annual Loss - Population Equivalence', 'amount', true],
  ['EALA', 'Expected Annual Loss - Agriculture Value', 'amount', true],
  ['EALT', 'Expected Annual Loss - Total', 'amount', true],
  ['EALS', 'Expected Annual Loss Score', 'percent', true],
  ['EALR', 'Expected Annual Loss Rating', 'rating', true],
  ['ALRB', 'Expected Annual Loss Rate - Building', 'share', false],
  ['ALRP', 'Expected Annual Loss Rate - Population', 'share', false],
  ['ALRA', 'Expected Annual Loss Rate - Agriculture', 'share', false],
  ['ALR_NPCTL', 'Expected Annual Loss Rate - National Percentile', 'percent', false],
  ['RISKV', 'Hazard Type Risk Index Value', 'amount', false],
  ['RISKS', 'Hazard Type Risk Index Score', 'percent', true],
  ['RISKR', 'Hazard Type Risk Index Rating', 'rating', true],
]

/** FEMA's National Risk Index, counties: v1.18 (November 2021) to v1.20 (December 2025). */
export const nriTable: TableKind = {
  kind: 'nri',
  name: 'National Risk Index',
  sheet: 'NRI_Table_Counties',
  licence: 'FEMA National Risk Index terms of use: for planning, cite FEMA',
  columns: columns(),
  checkRow,
  isEmpty: () => false,
  mainField: 'wfir_ealt',
  releaseOf: nriRelease,
}

/** The release as it is shown. @param month `NRI_VER`: `December 2025`, or `Dec-25` after a spreadsheet */
export function nriRelease(month: string): string {
  const [, word = '', year = ''] = /^([a-z]{3,9})[ -](?:20)?(\d\d)$/i.exec(month.trim()) ?? []
  const name = months.find((full) => word.length >= 3 && full.toLowerCase().startsWith(word.toLowerCase()))
  const full = name === undefined ? month.trim() : `${name} 20${year}`
  const version = versions[full]
  return version === undefined ? full : `${version} (${full})`
}

function columns(): Column[] {
  const wildfire = wildfireColumns.map(([suffix, alias, type, required]) => ({
    field: `wfir_${suffix.toLowerCase()}`,
    names: [`WFIR_${suffix}`, `Wildfire - ${alias}`],
    ...{ type, required },
  }))
  return [
    { field: 'code', names: ['STCOFIPS', 'State-County FIPS Code'], type: 'text', required: true },
    { field: 'release', names: ['NRI_VER', 'National Risk Index Version', 'Version'], type: 'text', required: true },
    { field: 'population', names: ['POPULATION', 'Population'], type: 'amount', required: true },
    { field: 'buildvalue', names: ['BUILDVALUE', 'Building Value'], type: 'amount', required: true },
    { field: 'agrivalue', names: ['AGRIVALUE', 'Agriculture Value'], type: 'amount', required: false },
    { field: 'area', names: ['AREA', 'Area'], type: 'amount', required: false },
    { field: 'sovi_score', names: ['SOVI_SCORE', 'Social Vulnerability - Score'], type: 'percent', required: false },
    { field: 'sovi_ratng', names: ['SOVI_RATNG', 'Social Vulnerability - Rating'], type: 'rating', required: false },
    { field: 'resl_score', names: ['RESL_SCORE', 'Community Resilience - Score'], type: 'percent', required: false },
    { field: 'resl_ratng', names: ['RESL_RATNG', 'Community Resilience - Rating'], type: 'rating', required: false },
    { field: 'crf_value', names: ['CRF_VALUE', 'Community Risk Factor - Value'], type: 'amount', required: false },
    ...wildfire,
  ] // prettier-ignore
}

/** Sums that hold in every published row; a file whose columns were shifted or rounded away breaks them. */
function checkRow(values: Values): string[] {
  const sums = [
    ['wfir_ealt', ['wfir_ealb', 'wfir_ealpe', 'wfir_eala']],
    ['wfir_expt', ['wfir_expb', 'wfir_exppe', 'wfir_expa']],
  ] as const
  return sums.flatMap(([total, parts]) => {
    const whole = values[total]
    const numbers = parts.map((part) => values[part])
    if (typeof whole !== 'number' || !numbers.every((number) => typeof number === 'number')) return []
    const sum = numbers.reduce((a, b) => a + b, 0)
    if (Math.abs(whole - sum) <= Math.max(whole, sum) * 0.001 + 1) return []
    return [`${total.toUpperCase()} ${whole} is not the sum of its parts, ${sum}`]
  })
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

const versions: Readonly<Record<string, string>> = {
  'October 2020': 'v1.17',
  'August 2021': 'v1.17',
  'November 2021': 'v1.18',
  'March 2023': 'v1.19',
  'December 2025': 'v1.20',
}
