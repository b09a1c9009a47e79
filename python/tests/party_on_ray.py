"""A party with a Ray of its own, for test_ray.py: it does what its standard input says, a line at a time.

    python party_on_ray.py ROLE WORKERS

Each line is JSON: the digest and length of a message, the number of shards, other keywords, and for the prover the
message in hexadecimal and the verifier's address. It answers with lines of JSON.
"""

import json
import sys

import volery
import volery.ray
from volery.split import Preimage


def say(**what):
    print(json.dumps(what), flush=True)


def main(role, workers):
    with volery.ray.local(workers):
        say(ready=True)
        for line in sys.stdin:
            asked = json.loads(line)
            message = bytes.fromhex(asked["message"]) if "message" in asked else None
            statement = Preimage(asked["digest"], asked["length"], asked["shards"], message)
            options = asked.get("options", {})
            try:
                if role == "verifier":
                    with volery.listen("127.0.0.1:0", timeout=120) as session:
                        say(address=session.address)
                        report = volery.ray.verify(statement, session=session, num_cpus=0.1, **options)
                else:
                    report = volery.ray.prove(statement, connect=asked["address"], num_cpus=0.1, **options)
            except volery.Error as error:
                say(error=type(error).__name__, message=str(error))
            else:
                say(accepted=True, lost=report.lost, started=report.started, soundness=report.soundness_bits)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
