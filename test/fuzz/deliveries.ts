/** Deliveries of the source host, rightly signed, of which any members are anything. */
import fc, { type Arbitrary } from "fast-check";
import { delivery, examples, type Payload } from "../support/github-webhooks.ts";
import type { FuzzedRequest } from "./requests.ts";
import { anything } from "./schema.ts";

const mappedNames = /^(issues|pull_request|pull_request_review|workflow_run|deployment_status)$/;

/** Every place in a value, by the object and the key that hold it. */
function* placesOf(value: Payload): Generator<[Payload, string]> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield [value, key];
    yield* placesOf(value[key]);
  }
}

const change = fc.record({ at: fc.nat(), to: fc.option(anything, { freq: 5 }) });

export const anyDelivery: Arbitrary<FuzzedRequest> = fc
  .tuple(
    fc.constantFrom(...examples.filter(({ name }) => mappedNames.test(name))),
    fc.array(change, { maxLength: 3 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([{ name, body }, changes, chance]) => {
    const bent = structuredClone(body);
    if (chance) bent.repository.full_name = "acme/atlas";
    for (const { at, to } of changes) {
      // Most of a payload is never looked at, so what stands high is bent more often.
      const places = [...placesOf(bent)];
      const [holder, key] = places[at % (at % 2 ? places.length : Math.min(places.length, 60))] ?? [{}, ""];
      if (to === null) delete holder[key];
      else holder[key] = structuredClone(to); // a later change may bend it, and it is everybody's
    }
    const { headers, body: sent } = delivery(name, bent);
    return {
      path: "/api/hooks/github",
      method: "POST",
      headers: Object.fromEntries(headers as [string, string][]),
      body: sent as string,
    };
  });
