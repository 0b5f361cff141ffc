import type { ManufacturerResponse } from '../complaint-record.ts'
import { hints, hintsOf } from './hints.ts'
import { sentenceAt } from './sentences.ts'

/**
 * What the narrative says has come of it at the maker or the authority: a recall campaign, an investigation, a
 * service bulletin, or that the maker knows; the weightiest of them. The summary is the sentence that says so.
 */
export function manufacturerResponse(text: string): ManufacturerResponse | null {
  const hinted = hintsOf(text)
  for (const { type, hint, find } of findings) {
    if ((hinted & hint) === 0) continue
    const found = find(text)
    if (found === null) continue
    return { type, reference: found.reference, date: null, summary: sentenceAt(text, found.index) }
  }
  return null
}

type Found = { readonly reference: string | null; readonly index: number }

type Finding = {
  readonly type: ManufacturerResponse['type']
  /** Given where there may be something to find. */
  readonly hint: number
  readonly find: (text: string) => Found | null
}

const findings: readonly Finding[] = [
  {
    type: 'recall',
    hint: hints.campaign,
    find: findCampaign,
  },
  {
    type: 'investigation',
    hint: hints.investigation,
    find: (text) => referenceIn(text, investigation),
  },
  {
    type: 'service_bulletin',
    hint: hints.bulletin,
    find: (text) => referenceIn(text, bulletin),
  },
  { type: 'notified', hint: hints.maker, find: findNotice },
]

/** `23V380000`, `94V-129`; those of equipment, tyres and child seats only where they are called so. */
function findCampaign(text: string): Found | null {
  for (const { 0: whole, 1: year, 2: letter = '', 3: number, index } of text.matchAll(campaign)) {
    const near = text.slice(Math.max(0, index - 60), index + whole.length + 30)
    if (letter.toUpperCase() !== 'V' && !/recall|campaign/i.test(near)) continue
    return { reference: `${year}${letter.toUpperCase()}${number}`.padEnd(9, '0'), index }
  }
  return null
}

const campaign = /\b(\d\d)([VETC])-?(\d{3})(?:000)?\b/gi

/** Preliminary evaluation, engineering analysis, recall query, defect petition, audit query. */
const investigation = /\b((?:PE|EA|RQ|DP|AQ)[ -]?\d\d-?\d{3})\b/gi

const bulletin =
  /\b(?:TSBs?|(?:technical\s+)?service\s+bulletins?|customer\s+satisfaction\s+(?:program|campaign))\b(?:[\s#:,(-]|no\.|number|was|is|for)*((?:\d{2,3}-){1,3}\d{2,4}[A-Z]?\b|\d\d[A-Z]\d\d\b|[A-Z]{1,4}[ -]?\d{4,8}\b)?/gi

function referenceIn(text: string, pattern: RegExp): Found | null {
  for (const { 1: reference, index } of text.matchAll(pattern)) {
    if (!isDenied(text, index))
      return { reference: reference?.toUpperCase().replaceAll(/\s/g, '') ?? null, index }
  }
  return null
}

function findNotice(text: string): Found | null {
  for (const pattern of notices) {
    const match = [...text.matchAll(pattern)].find(({ index }) => !isDenied(text, index))
    if (match !== undefined) return { reference: null, index: match.index }
  }
  return null
}

/** `no recall or`, `has not`, `neither the dealer nor the` */
function isDenied(text: string, index: number): boolean {
  return /(?:\bnot|n['’]t|\bnever|\bno|\bnor|\bneither)\b(?:\s+\w+){0,3}\s*$/i.test(
    text.slice(Math.max(0, index - 40), index),
  )
}

const notices: readonly RegExp[] = [
  /\bmanufacturer\s+(?:(?:was|were|had\s+been|has\s+been)\s+)(?:also\s+|then\s+|later\s+)?(?:notified|made\s+aware|contacted|informed|called|alerted)\b/gi,
  /\b(?:notified|contacted|called|informed|alerted)\s+(?:the\s+)?(?:manufacturer|\w+\s+corporate|\w+\s+customer\s+(?:service|care|relations))\b/gi,
]
