/** A rejection names the files that it is about, and what programs check from now on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { roles } from "../../../src/core/auth/scopes.ts";
import type { ReviewState } from "../../../src/library/verdicts/review-state.ts";
import type { DecisionDetail } from "../../../src/overview/memory/decision-schema.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
beforeAll(async () => {
  site = await openTestServer();
});
afterAll(() => site[Symbol.asyncDispose]());

const anchors = [{ path: "src/poster.ts", symbol: "draw" }];
const checks = [{ kind: "forbid", text: "#FF0000", paths: ["*.css"] }];
let count = 0;
const rejected = async (fields: object): Promise<DecisionDetail> => {
  const { id } = await site.upload(`poster-${++count}.png`, `words ${count}`);
  await site.api("PUT", `/assets/${id}/review`, {
    decision: "rejected",
    note: `Too dark ${count}`,
    ...fields,
  });
  return decisionOf(id);
};
const decisionOf = async (asset: string): Promise<DecisionDetail> => {
  const { decisions } = await site.api<{ decisions: DecisionDetail[] }>("GET", "/projects/atlas/decisions");
  const own = decisions.find(({ source_ref }) => source_ref === asset);
  return site.api("GET", `/decisions/${own?.id}`);
};

test("as its decision has them: confirmed by a person, proposed where an agent is named", async () => {
  const own = await rejected({ anchors, checks });
  expect(own.anchors).toMatchObject(anchors);
  expect(own.checks).toMatchObject([{ ...checks[0], standing: "confirmed", actor: "bot:ana" }]);
  const proposed = await rejected({ checks, by: "agent:codex" });
  expect(proposed.checks).toMatchObject([{ standing: "proposed", actor: "agent:codex" }]);
});

test("also if it is sent again with them, and other words keep both", async () => {
  const { id, source_ref } = await rejected({});
  const again = { decision: "rejected", note: `Too dark ${count}`, anchors, checks };
  await site.api("PUT", `/assets/${source_ref}/review`, again);
  expect(await decisionOf(source_ref ?? "")).toMatchObject({ id, anchors, checks });
  const { id: next } = await site.api<DecisionDetail>("POST", `/decisions/${id}/reword`, { text: "Lighter" });
  expect(await site.api<DecisionDetail>("GET", `/decisions/${next}`)).toMatchObject({ anchors, checks });
});

test("and an approval has none, nor a rule that says nothing", async () => {
  const { id } = await site.upload("map.png", "a map");
  const send = (body: object) => site.api<ReviewState>("PUT", `/assets/${id}/review`, body);
  expect(send({ decision: "approved", checks })).rejects.toThrow("400");
  expect(send({ decision: "approved", anchors })).rejects.toThrow("400");
  expect(send({ decision: "rejected", note: "No", checks: [{ kind: "forbid" }] })).rejects.toThrow("400");
  expect(roles.agent.scopes).not.toContain("assets:review");
});
