import type { TableKind, Values } from './stage.ts'

/** USDA Wildfire Risk to Communities: the sheet "Counties" of the download workbook, or a CSV of it. */
export const wrcTable: TableKind = {
  kind: 'wrc',
  name: 'Wildfire Risk to Communities',
  sheet: 'Counties',
  licence: 'Public domain (17 USC 105)',
  columns: [
    { field: 'code', names: ['GEOID', 'county_fips', 'code'], type: 'text', required: true },
    { field: 'buildings', names: ['TOTAL_BUILDINGS', 'buildings'], type: 'amount', required: true },
    { field: 'bp_national_rank', names: ['BP_NATIONAL_RANK'], type: 'share', required: true },
    { field: 'risk_national_rank', names: ['RISK_NATIONAL_RANK'], type: 'share', required: true },
    { field: 'population', names: ['POP', 'population'], type: 'amount', required: false },
    { field: 'buildings_direct', names: ['BUILDINGS_FRACTION_DE'], type: 'share', required: false },
    { field: 'buildings_indirect', names: ['BUILDINGS_FRACTION_IE'], type: 'share', required: false },
    { field: 'buildings_minimal', names: ['BUILDINGS_FRACTION_ME'], type: 'share', required: false },
  ],
  checkRow,
  // The District of Columbia is listed without values.
  isEmpty: (values) => values['risk_national_rank'] === null && values['bp_national_rank'] === null,
  mainField: 'risk_national_rank',
  releaseOf: (text) => text,
}

/**
 * The release that the name of a file tells.
 * @param source such as `wrc_download_20260415.xlsx`
 * @returns `2026-04-15`, `2025-05`, or undefined
 */
export function wrcRelease(source: string): string | undefined {
  const [, year, month, day] = /_(20\d\d)(\d\d)(\d\d)?\.\w+$/.exec(source) ?? []
  if (year === undefined || month === undefined) return undefined
  return day === undefined ? `${year}-${month}` : `${year}-${month}-${day}`
}

function checkRow(values: Values): string[] {
  const shares = ['buildings_direct', 'buildings_indirect', 'buildings_minimal'].map((name) => values[name])
  if (!shares.every((share) => typeof share === 'number')) return []
  const sum = shares.reduce((a, b) => a + b, 0)
  return Math.abs(sum - 1) <= 0.01 ? [] : [`the three shares of buildings add up to ${sum}, not 1`]
}
