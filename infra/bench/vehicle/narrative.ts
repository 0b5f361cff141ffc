import type { Model } from './catalogue.ts'
import type { System } from './systems.ts'

/** What a narrative tells. */
export type Story = {
  readonly vehicle: Model
  readonly year: number
  readonly system: System
  readonly symptom: string
  readonly miles: number
  readonly speed: number
}

/** A narrative as owners and transcribers write them: about 500 characters, with the quirks of the official file. */
export function tell(story: Story, random: () => number): string {
  const pick = <T>(options: readonly [T, ...T[]]): T =>
    options[Math.floor(random() * options.length)] ?? options[0]
  const { vehicle, year, system, miles, speed } = story
  const part = system.parts[Math.floor(random() * system.parts.length)] ?? 'part'
  const cost = Math.max(60, Math.round(system.cost * (0.4 + random() * 1.4)))
  const byHotline = random() < 0.35
  const sentences = [
    byHotline
      ? `THE CONTACT OWNS A ${year} ${vehicle.make} ${vehicle.model}`
      : pick([`I have a ${year} ${vehicle.make} ${vehicle.model}`, 'This is my daily car', 'Bought it used']),
    `While driving ${speed} mph, ${story.symptom}`,
    random() < 0.5 ? pick(CIRCUMSTANCES) : musings(random, 14),
    random() < 0.6
      ? `The ${part} was diagnosed as defective and ${pick(['needed to be replaced', 'had to be repaired'])}`
      : `The dealer could not duplicate the "${part}" failure`,
    random() < 0.09 ? `The repair ${pick(['was quoted at', 'cost me', 'bill was'])} $${money(cost)}` : '',
    random() < 0.25 ? `The vehicle was ${pick(['not repaired', 'repaired', 'not repaired'])}` : '',
    random() < 0.3 ? pick(MAKER) : '',
    random() < 0.55 ? musings(random, 10 + Math.floor(random() * 70)) : '',
    byHotline || random() < 0.05 ? `The failure mileage was approximately ${money(miles)}` : '',
    random() < 0.02
      ? 'INFORMATION REDACTED PURSUANT TO THE FREEDOM OF INFORMATION ACT (FOIA), 5 U.S.C. 552(B)(6)'
      : '',
  ]
  const text = `${sentences.filter((sentence) => sentence !== '').join('. ')}.`
  const marked = byHotline && random() < 0.3 ? `TL* ${text} *TR` : text
  return random() < 0.5 ? marked.toUpperCase() : marked
}

const CIRCUMSTANCES = [
  'This has happened several times in the last month and nobody can tell me why',
  'My children were in the car and we were lucky that no truck was behind us',
  'There was no warning light before and the weather was dry',
  'I had to coast to the shoulder of the highway and wait for a tow truck',
] as const

const MAKER = [
  'The manufacturer was notified of the failure but offered no assistance',
  'The manufacturer was made aware of the issue',
  'I received a letter for NHTSA Campaign Number: 19V527000 but the part was not available',
] as const

/** Words in the proportions of language: a few are everywhere, most are rare. */
function musings(random: () => number, words: number): string {
  return Array.from({ length: words }, () => {
    const rank = Math.floor(Math.exp(random() * Math.log(VOCABULARY)))
    return `${SOUNDS[rank % SOUNDS.length] ?? ''}${SOUNDS[Math.floor(rank / SOUNDS.length) % SOUNDS.length] ?? ''}${rank > 400 ? (SOUNDS[rank % 7] ?? '') : ''}`
  }).join(' ')
}

const VOCABULARY = 30_000
const SOUNDS = 'ba ket lor in dus pem tra ol is can wi ther mon de fi qua sel um gor pra'.split(' ')

function money(amount: number): string {
  return amount.toLocaleString('en-US')
}
