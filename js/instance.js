// An instance of a module, in which the functions that wait for the peer block, or are suspended by JavaScript Promise Integration.
//
// The modules are the same for both, and know nothing of it: attributes of wasm-bindgen that do this would put instructions of exception
// handling into them, which older engines lack.

/** The exports that wait, of one module or another. */
const WAITING = ['party_setUp', 'party_prove', 'party_verify', 'webproof_prove']

/** The import that waits: `wait` of the ring. */
const WAIT = /^__wbg_wait_[0-9a-f]+$/

/** A promise of the end of the waiting function that was called last, if it is suspended. */
let suspended

/** Gives the glue an instance of `module`, whose waiting functions are suspended if `suspends` says so. */
export function instantiate(glue, module, suspends) {
  if (!suspends) return void glue.initSync({ module })
  const imports = glue.getImports()
  suspendImport(imports)
  const instance = new WebAssembly.Instance(module, imports)
  const exports = { ...instance.exports }
  for (const name of WAITING) {
    if (!exports[name]) continue
    const promising = WebAssembly.promising(exports[name])
    // The glue takes no notice of what these functions return: nothing, or here a promise of it.
    exports[name] = (...args) => void (suspended = promising(...args))
  }
  glue.finishInit({ exports }, module)
}

function suspendImport(imports) {
  const found = []
  for (const group of Object.values(imports)) {
    for (const name of Object.keys(group)) if (WAIT.test(name)) found.push([group, name])
  }
  if (found.length !== 1) throw new Error(`the module has ${found.length} imports that wait, and not one`)
  const [[group, name]] = found
  // Without the glue's own function, which catches exceptions: `wait` of a party that is suspended throws none.
  group[name] = new WebAssembly.Suspending((ring, interest, milliseconds) => ring.wait(interest, milliseconds))
}

/**
 * Runs `call`, which calls a function that waits, to its end. Nobody may call another function of the instance meanwhile that may wait, too:
 * the pointer of the module's own stack is a global, which the engine does not change when it goes from one suspended function to another.
 */
export async function waitedFor(call) {
  suspended = undefined
  call()
  await suspended
}
