// Which of the two modules this engine can run, and its compiled form, once for each page.
import { compile } from './host.js'

/** (module (func (result v128) i32.const 0 i8x16.splat)) */
const PROBE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11])

/** Whether this engine has the instructions of simd128. */
export function hasSimd() {
  return WebAssembly.validate(PROBE)
}

let simd

/** Takes the module with simd128 from now on, or the one without. */
export function chooseSimd(wanted) {
  simd = wanted
}

/** The name of the module for this engine. */
export function moduleName() {
  return (simd ?? hasSimd()) ? 'volery-simd' : 'volery-plain'
}

const compiled = new Map()

/** The compiled module of this name. */
export function compiledModule(name = moduleName()) {
  let promise = compiled.get(name)
  if (!promise) {
    promise = compile(new URL(`./dist/${name}_bg.wasm`, import.meta.url))
    compiled.set(name, promise)
    // A server that was away may be there the next time.
    promise.catch(() => compiled.delete(name))
  }
  return promise
}
