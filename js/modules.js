// Which modules this engine can run, and their compiled forms, once for each page. One has claims, and one web data.
import { compile } from './host.js'

/** (module (func (result v128) i32.const 0 i8x16.splat)) */
const PROBE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11])

/** Whether this engine has the instructions of simd128. */
export function hasSimd() {
  return WebAssembly.validate(PROBE)
}

let simd

/** Takes the modules with simd128 from now on, or those without. */
export function chooseSimd(wanted) {
  simd = wanted
}

/** The name of the module for this engine: of claims, or of web data. */
export function moduleName({ web = false } = {}) {
  return `volery-${web ? 'web-' : ''}${(simd ?? hasSimd()) ? 'simd' : 'plain'}`
}

const compiled = new Map()

/** The compiled module of this name. */
export function compiledModule(name) {
  let promise = compiled.get(name)
  if (!promise) {
    promise = compile(new URL(`./dist/${name}_bg.wasm`, import.meta.url))
    compiled.set(name, promise)
    // A server that was away may be there the next time.
    promise.catch(() => compiled.delete(name))
  }
  return promise
}
