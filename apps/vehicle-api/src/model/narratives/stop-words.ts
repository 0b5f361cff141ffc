import { textHash } from './term-hash.ts'
import { singular } from './words.ts'

/** Words that say nothing about a defect, by their hashes; phrases may span one or two of them. Plurals go along. */
export const stopWords: ReadonlySet<number> = hashesOf(`
able about above abruptly actually after again ago all allow allowed almost along already also although
always among and another any anyone anything anyway apart apparently approx approximate approximately april
are area around ask asked august automatically away back became because become been before began begin
behind being believe below between big both but came can cannot cant caused causes causing certain
certainly come coming completely constantly continually continuously could couldnt currently day december
did didnt does doesnt doing done dont down due during each either else end ended ending enter etc even
eventually ever every everyone everything except exit far february few finally find fine first following
for fortunately found frequent frequently friday from front fully further gave get getting give given goes
going gone got had half happen happened happening has hasnt have havent having hello her here herself him
himself his home honestly hour how however ill immediate immediately important inadvertently include
included including independently indicated instead intermittently into isnt its itself ive january july
june just keep kept kind knew know known last late later least left less let like likely lot luckily made
make making many may maybe means might minute moderate monday month more morning most much must myself near
nearly need needed never new next night nobody normally nothing november now occasions occur occurred
october off often okay old once one only onto other our out over own part particular particularly past
people per perhaps person place please possible possibly prior properly put quickly quite ran randomly
rather real really reason recent recently regardless repeatedly require required ridiculous right said same
saturday saw say saying scary second see seem seemed seen september serious seriously several shall she
should shouldnt significant since slowly some somebody someone something sometimes soon spontaneously
steadily still such sudden suddenly sunday sure take taken taking tell temporarily ten than thank that the
their them then there these they theyre thing think third this those though thought three through thru
thursday thus till time today together told too took totally toward tried try trying tuesday twice two
under unexpectedly unintentionally unless until upon use used using usually various very via wait waited
waiting want wanted was wasnt way wednesday week well went were werent what when whenever where whether
which while who whole whom whose why will with within without wont would wouldnt wrong year yes yesterday
yet you your
`)

/** Words of those who write complaints down, and of dealing with workshops and makers: skipped in the same way. */
export const boilerplate: ReadonlySet<number> = hashesOf(`
accident act action additionally address admit advised afford afraid agent also america amount anniversary
answer appear appeared appears apply appointment article assist assistance associated attach attached
attaching attachment available aware bought bring brother brought business buy buying call called calling
campaign car care case certified child children china claim claimed class com common company complaint
concern confirm confirmed consumer contact contacted corporate correct corrected cost covered crash crashed
crashes crashing current customer date daughter dealer dealership defect defective degree deliver delivery
denali described design designed destination determine determined diagnose diagnosed diagnosis diagnostic
disappointed disconnect distribution doctor dollar drive driven driver driveway driving drove duplicate
ecoboost email energi estimate estimated event everytime evidence exceeded excuse expense expensive
experience experienced experiencing expired explained extended factory failed failure file filed fix fixed
fixing foia forum freedom freeway friend fund future garage generation guarantee had hazard hemi honor
hotline html http https hurt husband illegal incident independent information informed injured injuries
injury inspect inspected inspection installed internet intersection interstate invalid investigate
investigated invoice involved issue item journey kid kill killed known labor laramie lariat lawsuit
lease leased letter limited link local ltz luck manager manufacture manufactured manufacturer mechanic
mentioned mile mileage model money mother motorist mph multiple navigate neighborhood nhtsa north noted
noticed notification notified notify number occasion occurrence odometer offer offered officer online
operator order ordered original owned owner ownership owning owns page paid paperwork park parked pay
paying performed personal phone photo picture platinum please police post posted present previous problem
produce production program provide provided provides providing purchase purchased purchasing pursuant
qualify read reasonable recall recalled receive received redacted referred refund refuse refused
refusing regarding register registered reimburse reimbursed reimbursement related remedy repair repaired
repairing repeated replace replaced replacement replacing report reported representative reproduce request
requested research researched residence resolution resolve resolved responsible result resulted returned
reviewed risk road safety satisfaction scheduled search sel sell selling service serviced settlement shop
showed shown similar sister slt sold son speed spoke state stated stating store street suggested support
suv technician tests thread titanium told totaled towed traffic transport travel traveling travelling trip
truck unable unavailable undisclosed unknown unsafe updated upset van vehicle verified video vin visit
walked warranty web website wife worked workshop write writes writing www xle xlt xse xxx yrs
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
additional alarm alert alone applied bad bed bit black board broke broken bump cab camper check checked
chime clear close closed closing coast cold collision complete condition control convertible coupe curve
cut damage damaged diesel difficult display door downpour driver driving dry electric emergency end engage
engaged exterior fast feature fifth foot forward front full function functioning ground hard head heard
heavy high highway hit hold holding hole home hot hybrid icy impact impossible indicator inside interior
lane leg light lightning likely lock loose lost low maintain manner message middle missing moving new
normal not observe off open opened operate operated operating operation outside passenger piece platform
pole pop popped position power present pull pulling put quick rain rainfall raining rainy ramp reach rear
red reduce reduced release released remain remained remains remove removed replace reset respond response
restart restarted restarting roll rolled rolling safe season secure secured securely set setting short
shoulder shut shutdown side signal size slow small snow sound special sport standard start started starting
stay stayed stays stop stopped storm strong stuck summer surface surrounding system temperature tie tool
tow towing trailer turbo turn turned turning unit warm warning weather wet white wind windy winter work
working
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
