/**
 * How far the clock of Redis is ahead of ours at least, by the fastest reply of the last minute or two: it may be set
 * back, and drifts.
 */
export function clockOfRedis(ours = () => performance.now()) {
  let [before, latest, since] = [-Infinity, -Infinity, ours()]
  return {
    /** Unix milliseconds by the clock of Redis at an instant of ours, or a little earlier; -Infinity before the first reply. */
    at: (instant: number): number => instant + Math.max(before, latest),
    /** What was heard until now holds no more. */
    forget(): void {
      before = latest = -Infinity
    },
    /** It was `instant` there when a reply was sent that has just come. */
    heard(instant: number): void {
      const here = ours()
      if (here - since > fastestOfMs) [before, latest, since] = [latest, -Infinity, here]
      latest = Math.max(latest, instant - here)
    },
  }
}

const fastestOfMs = 60_000
