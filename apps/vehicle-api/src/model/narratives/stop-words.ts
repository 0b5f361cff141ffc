import { textHash } from './term-hash.ts'
import { singular } from './words.ts'

/** Words that say nothing about a defect, by their hashes; phrases may span one or two of them. Plurals go along. */
export const stopWords: ReadonlySet<number> = hashesOf(`
able about above after again ago all allow allowed almost along already also although always and another any
anyone anything approx approximate approximately are area around ask asked away back became because become
been before began begin behind being believe below between both but came can cannot cant caused causes causing
come coming completely could couldnt currently day did didnt does doesnt doing done dont down due during each
either else end enter even eventually ever every everything except exit far few finally find first for found
from front fully further gave get getting give given goes going gone got had half happen happened happening
has hasnt have havent having her here herself him himself his hour how however ill immediately indicated
instead into isnt its itself ive just keep kept knew know known last late later least left less let like lot
made make making many may maybe means might minute month more morning most much must myself near nearly need
needed never new next night nothing now occasions occur occurred off often okay old once one only onto other
our out over own part past people per perhaps person place please possible possibly prior put quite ran rather
really reason recently require required right said same saw say saying second see seem seemed seen several
shall she should shouldnt since some someone something sometimes soon still such sudden suddenly sure take
taken taking tell than thank that the their them then there these they theyre thing think this those though
thought three through thru thus till time today together told too took totally toward tried try trying twice
two under unless until upon use used using usually various very via want wanted was wasnt way week well went
were werent what when whenever where whether which while who whole whose why will with within without wont
would wouldnt year yes yesterday yet you your
`)

/** Words of those who write complaints down, and of dealing with workshops and makers: skipped in the same way. */
export const boilerplate: ReadonlySet<number> = hashesOf(`
act action additionally address advised agent also america amount appointment assist assistance available
aware bought bring brought business buy buying call called calling campaign car care case certified child
children china claim claimed class company complaint confirmed consumer contact contacted corporate correct
corrected cost covered current customer date dealer dealership defect defective described determine determined
diagnose diagnosed diagnosis diagnostic disconnect distribution drive driven driver driving drove duplicate
email event evidence exceeded experience experienced experiencing explained extended factory failed failure
file filed fix fixed fixing foia freedom future had hazard hotline incident independent information informed
inspect inspected inspection invalid investigate investigated involved issue known lease leased letter local
manager manufacture manufactured manufacturer mechanic mentioned mile mileage model mph multiple navigate
nhtsa north noted noticed notification notified notify number occasion occurrence odometer original owned
owner owning owns paid park parked pay performed personal phone photo picture please police present previous
problem program provided purchase purchased purchasing pursuant read reasonable recall recalled receive
received redacted referred refuse refused refusing regarding related remedy repair repaired repairing repeated
replace replaced replacement replacing report reported representative request requested result resulted
returned road safety satisfaction scheduled service serviced shop showed shown similar speed spoke state
stated stating street suggested suv technician tests told towed transport travel traveling travelling truck
unable unavailable unknown unsafe updated van vehicle verified vin visit warranty worked writing xxx yrs
`)

/** Makes, by which complaints name the vehicle or a relative of it. */
export const makes: ReadonlySet<number> = hashesOf(`
acura audi bmw buick caddy cadillac chevrolet chevy chrysler daewoo dodge fiat ford freightliner genesis gmc
honda hummer hyundai infiniti isuzu jaguar jeep kia lexus lincoln lucid mazda mercedes mercury mitsubishi
nissan oldsmobile plymouth pontiac porsche ram rivian rover saab saturn scion subaru suzuki tesla toyota
volkswagen volvo winnebago
`)

/** Words that say something only together with the word before or after: `not latch`, `power steering`. */
export const weakWords: ReadonlySet<number> = hashesOf(`
additional bad broke broken clear cold complete control difficult driver full hard heavy high highway hit hot
inside light loose lost low message middle new normal not off open opened outside passenger power rear respond
response safe set short side slow start started starting stop stopped stuck system turn turned turning warm
warning working
`)

/** Hashes of the words of names. */
export function wordHashes(names: readonly string[]): Set<number> {
  return hashesOf(
    names
      .join(' ')
      .toLowerCase()
      .replaceAll(/[^\p{L}]+/gu, ' '),
  )
}

function hashesOf(words: string): Set<number> {
  return new Set(
    words
      .trim()
      .split(/\s+/)
      .map((word) => textHash(singular(word))),
  )
}
