/** Reviewers at once at two processes on one Postgres: of single assets, and of variant sets. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Asset } from "../../src/library/assets/schema.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import type { SetReview } from "../../src/library/variant-sets/schema.ts";
import { must, type Server, scaled, startServer } from "../support/harness.ts";
import { assetScopes, type Library, openLibrary } from "../support/library.ts";
import { reviewersOf } from "../support/review/reviewers.ts";
import { plantSet } from "../support/review/variant-sets.ts";
import { reached, times } from "./promises.ts";

const need = [
  { role: "design", count: 2 },
  { role: "legal", count: 1 },
];
/** More than a transaction of a review has, when there is time. */
const variantCount = scaled(20, 120);

describe("two processes on one Postgres", () => {
  let library: Library;
  let servers: Server[];
  beforeAll(async () => {
    library = await openLibrary("postgres", "disk");
    servers = await Promise.all([startServer(library, library.env), startServer(library, library.env)]);
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    expect(await library.ctx.data.findInconsistencies()).toEqual([]);
    await library.close();
  });

  const put = async <T>(index: number, path: string, token: string, json: unknown) => {
    const response = await fetch(`${must(servers[index % 2]).origin}/api/v1${path}`, {
      ...{ method: "PUT", body: JSON.stringify(json) },
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  const reviewsOf = async (ids: readonly string[]) => {
    const kinds = ["asset.reviewed", "review.given"] as const;
    const events = await library.ctx.data.feed(null, { kind: [...kinds], limit: 1_000 });
    return events.filter(({ wire }) => ids.some((id) => wire.includes(id))).length;
  };

  test("lose no verdict, and count no approval for another file", async () => {
    const people = reviewersOf(library);
    const slug = await people.project(need);
    const roles = ["design", "design", "design", "legal", "legal"];
    const reviewers = await Promise.all(roles.map((role) => people.reviewer(role)));
    const maker = must(reviewers[0]);
    const { data } = library.ctx;
    for (let round = 0; round < times("reviews"); round++) {
      const first = await library.plant({ project: slug, uploader: maker.name, sha256: hashOf(round) });
      const decisions = reviewers.map((_, at) => (at === 2 && round % 3 === 2 ? "rejected" : "approved"));
      const [given] = await Promise.all([
        Promise.all(
          reviewers.map(async ({ token, name }, at) => {
            const decision = must(decisions[at]);
            const json = { decision, ...(decision === "rejected" && { note: "Too dark." }) };
            const answer = await put<Asset>(at + round, `/assets/${first.id}/review`, token, json);
            expect([200, 403, 409]).toContain(answer.status);
            return { name, decision, isTaken: answer.status === 200 };
          }),
        ),
        round % 2 === 1 &&
          library.plant({ project: slug, uploader: maker.name, sha256: hashOf(-round) }, first.id),
      ]);
      const taken = given.filter(({ isTaken }) => isTaken);
      const verdicts = await data.verdicts([first.id]);
      expect(verdicts.map(({ voter }) => voter).toSorted()).toEqual(taken.map(({ name }) => name).toSorted());
      expect(verdicts.every(({ sha256 }) => sha256 === first.sha256)).toBe(true);
      expect(verdicts.filter(({ voter }) => voter === maker.name)).toEqual([]);
      expect(await reviewsOf([first.id])).toBe(taken.length);
      const [oldest, newest] = await data.versions(first.id);
      if (newest) expect([must(oldest).status, newest.status]).toEqual(["superseded", "pending"]);
      else expect(must(oldest).status).toBe(outcomeOf(taken));
      reached("reviews");
    }
  });

  test("decide each variant of a set once, in one decision", async () => {
    const tokens = await Promise.all(["ana", "ben"].map((name) => library.mint(assetScopes, { name })));
    for (let round = 0; round < times("setReviews"); round++) {
      const set = `set ${round}`;
      const ids = (await plantSet(library, set, variantCount)).map(({ id }) => id);
      const answers = await Promise.all(
        tokens.map((token, index) => {
          const isPicked = (at: number) => Math.floor(at / 5) === index;
          const variants = ids.map((id, at) => ({ id, decision: isPicked(at) ? "approved" : "rejected" }));
          const json = { project: "atlas", set, note: `Note ${index}`, variants };
          return untilAnswered(() => put<SetReview>(index, "/assets/review", token, json));
        }),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const taken = ids.map((id) =>
        answers.flatMap(({ body }) => body.reviewed.find((one) => one.id === id && !one.error) ?? []),
      );
      expect(taken.map(({ length }) => length)).toEqual(Array(variantCount).fill(1));
      const rows = await library.ctx.data.variants("atlas", set, variantCount + 1);
      expect(rows.map(({ status }) => status)).toEqual(taken.map(([one]) => must(one?.status)));
      expect(await reviewsOf(ids)).toBe(variantCount);
      const current = await library.ctx.data.currentDecisions("atlas", 1_000);
      const decisions = current.filter(({ source_ref }) => source_ref === `set:${set}`);
      const picked = rows.filter(({ status }) => status === "approved").length;
      expect(decisions.map(({ text }) => text.split("\n", 1)[0])).toEqual([
        expect.stringContaining(`Picked ${picked || "none"} of ${variantCount} variants of "${set}"`),
      ]);
      reached("setReviews");
    }
  });
});

/** A database that is busy answers 503, and the review of a set can be repeated. */
async function untilAnswered<T extends { status: number }>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

const hashOf = (round: number): string =>
  new Bun.CryptoHasher("sha256").update(`file ${round}`).digest("hex");

function outcomeOf(taken: readonly { decision: string }[]): AssetRow["status"] {
  if (taken.some(({ decision }) => decision === "rejected")) return "rejected";
  return taken.length >= 3 ? "approved" : "pending";
}
