// Loaded before the service: its monotonic clock does not tell for how long the process was stopped, as that of a virtual
// machine does not that is paused or moved.
const now = performance.now.bind(performance)
let lostMs = 0
let lastMs = now()
performance.now = () => {
  const thisMs = now()
  if (thisMs - lastMs > 300) lostMs += thisMs - lastMs - 1
  lastMs = thisMs
  return thisMs - lostMs
}
setInterval(() => performance.now(), 10).unref()
