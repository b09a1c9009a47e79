// The page: what it can do here, and its sections.
import { hasSimd, preload } from './volery/index.js'
import { wireKind } from './volery/wires.js'
import { ignoreOthers } from './dropping.js'
import * as circuit from './circuit.js'
import * as preimage from './preimage.js'
import * as publicProofs from './public.js'
import * as website from './website.js'

function problem(text) {
  const place = document.getElementById('problem')
  place.textContent = text
  place.hidden = false
}

ignoreOthers()
if (!wireKind()) {
  problem(
    'Proofs to the verifier do not run here, because this page is not isolated: it must come over https, or from localhost, ' +
      'with the headers “Cross-Origin-Opener-Policy: same-origin” and “Cross-Origin-Embedder-Policy: require-corp”. ' +
      'Browsers with JavaScript Promise Integration need neither; this one does not have it. ' +
      'Public proofs and attestations can be checked all the same.',
  )
}
document.getElementById('slow').hidden = hasSimd()
preload().catch((error) => problem(`The prover could not be loaded: ${error.message}`))
preimage.setUp()
circuit.setUp()
website.setUp()
publicProofs.setUp()
