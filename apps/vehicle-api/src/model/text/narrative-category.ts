import type { Category } from '../category.ts'

/**
 * Category of a complaint after its narrative, for those whose component says nothing: that whose words clearly
 * outweigh those of every other category.
 *
 * @returns null when the words do not decide it
 */
export function narrativeCategory(text: string): Category | null {
  const lower = text.toLowerCase()
  let best: Category | null = null
  let [most, second] = [0, 0]
  for (const { category, sure, vague } of rules) {
    const weight = sureWeight * distinct(lower, sure) + distinct(lower, vague)
    if (weight > most) {
      ;[second, most] = [most, weight]
      best = category
    } else second = Math.max(second, weight)
  }
  return most >= sureWeight && most >= second + margin ? best : null
}

/** A word that names a part of the category counts as much as three that only hint at it. */
const sureWeight = 3
const margin = 3

function distinct(text: string, words: RegExp): number {
  const found = text.match(words)
  return found === null ? 0 : new Set(found).size
}

const rules: readonly { readonly category: Category; readonly sure: RegExp; readonly vague: RegExp }[] = [
  rule(
    'engine',
    `engine (?:fail|stall|seiz|block|overheat|misfire|knock|replace|blew|oil|coolant)\\w*|oil (?:leak|consumption|pressure|burn)\\w*|coolant|overheat\\w*|head gasket|timing (?:chain|belt|cover)|radiator|misfir\\w*|spark plug|fuel (?:pump|leak|tank|injector|line|smell|odor|rail)|smell of (?:gas|fuel)|water pump|turbo|throttle|crankshaft|camshaft|piston|cylinder|catalytic|exhaust|unintended acceleration|stalled|stalls?\\b|loss of (?:motive )?power|lost power`,
    `engine\\b|\\bfuel|\\bgas pedal|accelerat\\w*|idl(?:e|ing)\\b|\\brpm`,
  ),
  rule(
    'transmission',
    `transmission|transfer case|clutch|torque converter|gear ?box|drive ?shaft|half ?shaft|axle|differential|\\bcvt\\b|\\bpdk\\b|(?:hard|harsh|rough) shift\\w*|shift(?:er|ing)? (?:lever|cable|hard|rough|into)|slipp?(?:ed|ing|s)? (?:out of )?gears?|out of (?:park|gear)|roll(?:ed|s|ing)? ?away`,
    `\\bgears?\\b|shift(?:s|ed|ing)?\\b|\\bneutral\\b|\\breverse\\b|\\bpark\\b|lurch\\w*|jerk\\w*`,
  ),
  rule(
    'electrical',
    `alternator|dead battery|12 ?v(?:olt)? battery|battery (?:drain|die|dead|fail|charg|cable|pack|light|replace)\\w*|high voltage|wiring|fuses?\\b|short circuit|electrical|head ?lights?|tail ?lights?|turn signals?|infotainment|touch ?screen|\\bradio\\b|instrument (?:panel|cluster)|ignition switch|\\bkey fob|starter\\b|would not start|won'?t start|\\bhorn\\b|charg(?:er|ing) (?:port|station|cable|module)|obc\\b|onboard charger|display (?:screen|went)|screen (?:went|goes) (?:black|blank)`,
    `battery|\\bignition\\b|\\blights?\\b|\\bsensor|charg\\w*|\\bscreen|software`,
  ),
  rule(
    'brakes',
    `brake (?:pedal|pad|rotor|fluid|line|caliper|fail|booster|system|light|hose|assist|master)\\w*|brakes (?:fail|went|lock|would|did|do|grind|squeal)\\w*|rotors?\\b|calipers?\\b|master cylinder|\\babs\\b|anti-?lock|parking brake|emergency brake|e-brake`,
    `brak(?:e|es|ed|ing)\\b`,
  ),
  rule(
    'suspension',
    `suspension|control arms?|ball joints?|struts?\\b|shock absorber|\\bshocks\\b|coil spring|sway bar|wheel bearing|alignment|wheel hub|leaf spring|air ride|bushings?`,
    `wobbl\\w*|vibrat\\w*|uneven`,
  ),
  rule(
    'steering',
    `power steering|steering (?:wheel (?:lock|shak|vibrat|became|would)\\w*|column|rack|gear|assist|fail|lock|went|system)\\w*|tie rods?|rack and pinion|hard to steer|difficult to (?:steer|turn)`,
    `steering|steer\\b`,
  ),
  rule(
    'interior',
    `air condition\\w*|\\ba\\/c\\b|heater|\\bhvac\\b|defrost(?:er)? (?:does|did|not|stop)\\w*|seat (?:heater|track|back|frame|motor|recliner|cushion)\\w*|seats? (?:broke|came loose|moves?|would)|head ?liner|dash(?:board)? (?:crack|melt|sticky|glare|reflect)\\w*|climate control|carpet|glove (?:box|compartment)`,
    `interior|upholstery|\\bseats?\\b(?! ?belt)`,
  ),
  rule(
    'exterior',
    `wind ?shield|sun ?roof|moon ?roof|door (?:latch|handle|lock|ajar|hinge|actuator)\\w*|doors? (?:open|fl(?:y|ew)|would not (?:open|close|latch)|will not (?:open|close|latch|lock))\\w*|lift ?gate|tail ?gate|hatch\\b|\\bhood\\b|trunk|paint|rust\\w*|corro\\w*|window (?:regulator|motor|shatter|explode|fell|switch)\\w*|(?:rear|back) window|shatter\\w*|mirrors?\\b|wipers?|bumper|molding|\\btrim\\b|roof rail|fender|sub-?frame|\\bframe\\b`,
    `\\bdoors?\\b|windows?\\b|\\bglass\\b|\\bpanel\\b|\\broof\\b|latch\\w*`,
  ),
  rule(
    'safety',
    `air ?bags?|seat ?belts?|\\bsrs\\b|occupant (?:sensor|detection|classification)|collision (?:warning|avoidance|mitigation)|automatic emergency brak\\w*|emergency braking|lane (?:keep|assist|departure|change)\\w*|blind ?spot|back-?up camera|rear ?view camera|adaptive cruise|autopilot|phantom brak\\w*|traction control|stability control|pre-?collision`,
    `restraint|\\bcamera|deploy\\w*|collision`,
  ),
]

function rule(category: Category, sure: string, vague: string) {
  return { category, sure: new RegExp(sure, 'g'), vague: new RegExp(vague, 'g') }
}
