/**
 * Whether a hash is in a set, several times as fast as the set itself says: open addressing, a quarter full at most.
 * @param hashes well mixed, see finishHash
 */
export function quickSet(hashes: Iterable<number>): (hash: number) => boolean {
  const all = new Set(hashes)
  const hasZero = all.delete(0)
  let size = 16
  while (size < 4 * all.size) size *= 2
  const mask = size - 1
  const slots = new Int32Array(size)
  for (const hash of all) {
    let slot = hash & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = hash
  }
  return (hash) => {
    // An empty slot is 0.
    if (hash === 0) return hasZero
    let slot = hash & mask
    while (slots[slot] !== hash) {
      if (slots[slot] === 0) return false
      slot = (slot + 1) & mask
    }
    return true
  }
}
