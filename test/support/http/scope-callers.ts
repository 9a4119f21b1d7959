/** Callers with every set of scopes, and with none, and what each of them may do. */
import { expect } from "bun:test";
import { isAdmin } from "../../../src/core/auth/permissions.ts";
import { allScopes, grants, type Scope } from "../../../src/core/auth/scopes.ts";
import { issueFormToken } from "../../../src/core/auth/session/csrf.ts";
import { signIn, visitorFrom } from "../../../src/core/auth/session/session.ts";
import { generateToken } from "../../../src/core/auth/token.ts";
import { noLooks } from "../../../src/files/probe/port.ts";
import { pendingKey } from "../../../src/files/stores/keys.ts";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import type { Standing } from "../../../src/memory/schema.ts";
import { times } from "../../faults/promises.ts";
import { type Dialect, event, must, until } from "../harness.ts";
import { type Library, openLibrary, type StorePlace } from "../library.ts";
import { createShare } from "../review/shares.ts";
import { addWebhook } from "../webhooks/webhook-rows.ts";
import type { Fresh, Needed } from "./scope-requests.ts";

/**
 * The first `most` of all subsets of the scopes: none, all, and those with one scope or, on Postgres, with
 * all but one come first. What a scope allows does not depend on the database.
 */
function scopeSets(most: number, dialect: Dialect): Scope[][] {
  const subsets = Array.from({ length: 2 ** allScopes.length }, (_, bits) =>
    allScopes.filter((_, index) => (bits >> index) & 1),
  );
  const nearly = [1, allScopes.length - 1];
  const first = [0, allScopes.length, ...(dialect === "sqlite" ? nearly : nearly.toReversed())];
  const rank = ({ length }: Scope[]) => (first.includes(length) ? first.indexOf(length) : first.length);
  return subsets.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

export interface ScopeCaller {
  name: string;
  scopes: readonly Scope[];
  token?: string;
  /** True if its token is revoked, expired or unknown. */
  isInvalid?: true;
  cookie: string;
  csrf: string;
}

export interface ScopeRequest {
  name: string;
  needs: Needed;
  /** Status of the response to a caller who has the scope. */
  success: number;
  send(caller: ScopeCaller, fresh: Fresh): Promise<Response>;
}

/** Makes assets and uploads that no other request uses. */
const openFresh = (library: Library): Fresh => {
  let inParts: Promise<PresignResponse> | undefined;
  const addDecision = async (source: string, standing: Standing = "confirmed") => {
    const text = `Use globes ${crypto.randomUUID()}`;
    const decision = { project: "atlas", text, source, source_ref: null, actor: "human:mara", standing };
    const at = library.clock.now();
    return must(
      await library.ctx.data.atomically((writes) => writes.addDecision({ ...decision, valid_from: at })),
    ).id;
  };
  const fresh: Fresh = {
    inParts: () => (inParts ??= fresh.reserved()),
    pending: async () => (await library.plant({ bytes: "some words", set: "posters" })).id,
    async approved() {
      const id = await fresh.pending();
      await library.review(id, { decision: "approved" });
      return id;
    },
    async published() {
      const id = await fresh.approved();
      await library.publish(id);
      return id;
    },
    async reserved() {
      const reserved = (await library.presign({})).body;
      expect((await library.put(reserved, "some words")).status).toBe(200);
      return reserved;
    },
    async annotated() {
      const path = `/assets/${await fresh.pending()}/annotations`;
      return (await library.say<Annotation>(path, { json: { body: "The logo is cut off" } })).body;
    },
    async checklist() {
      const row = {
        project: "atlas",
        kind: "html",
        version: 1,
        changed_by: "human:mara",
        changed_at: 1,
      } as const;
      await library.ctx.data.atomically(async (writes) => {
        if (!(await writes.checklist("atlas", "html")))
          await writes.addChecklist({ ...row, items: [{ id: "sharp", text: "Sharp", required: true }] });
      });
      return "html";
    },
    decision: () => addDecision("cli"),
    rejection: () => addDecision("review"),
    proposal: () => addDecision("cli", "proposed"),
    async person() {
      const id = `person-${crypto.randomUUID()}`;
      const row = { id, name: null, team: null, created_at: library.clock.now(), removed_at: null };
      await library.ctx.data.atomically((writes) => writes.savePerson(row));
      return id;
    },
    budget: () =>
      library.ctx.data.atomically((writes) =>
        writes.addBudget({
          ...{ project: "atlas", team: null, person: null, lane: null, model: crypto.randomUUID() },
          ...{
            period: "month",
            amount: 1,
            since: "2026-03-01",
            changed_by: "human:mara",
            changed_at: library.clock.now(),
          },
        }),
      ),
    async run() {
      const run_id = crypto.randomUUID();
      await library.ctx.data.append([
        event({ kind: "run.started", project: "atlas", run_id, issue: 7, pr: 7 }),
      ]);
      return run_id;
    },
    async keyedRun() {
      const run_id = crypto.randomUUID();
      await library.ctx.data.append([
        event({ kind: "run.started", project: "atlas", run_id, task: "PROJ-7" }),
      ]);
      return run_id;
    },
    async cachedBrief() {
      const from = `brief-cache:${crypto.randomUUID()}`;
      const text = "Decisions: none";
      const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      const brief = {
        project: "atlas",
        run_id: from,
        at: library.clock.now(),
        hash,
        chars: text.length,
        text,
      };
      await library.ctx.data.atomically((writes) => writes.addBrief({ ...brief, decisions: [] }));
      return { path: `/runs/${await fresh.run()}/briefs`, json: { project: "atlas", hash, from } };
    },
    async made() {
      const run_id = crypto.randomUUID();
      await library.ctx.data.append([event({ kind: "run.started", project: "atlas", run_id })]);
      return (await library.plant({ run_id })).id;
    },
    token: async () => {
      const name = crypto.randomUUID();
      await library.mint(["feed:read"], { name });
      return name;
    },
    share: async () => (await createShare(library, await fresh.pending())).id,
    webhook: () => addWebhook(library.ctx.data, { url: "https://webhook.invalid/in" }),
  };
  return fresh;
};

/** A caller for each set of scopes, one without a token, and four with an invalid token. */
async function openCallers({ ctx, mint, clock }: Library, dialect: Dialect): Promise<ScopeCaller[]> {
  const sessionOf = async (token: string) => (await signIn(ctx, token))?.cookie.split(";")[0] ?? "";
  const callerOf = async (name: string, scopes: readonly Scope[], token?: string): Promise<ScopeCaller> => ({
    ...{ name, scopes, cookie: token ? await sessionOf(token) : "", csrf: "" },
    ...(token !== undefined && { token }),
  });
  const valid = scopeSets(times("scopes"), dialect).map(async (scopes) =>
    callerOf(scopes.join(" ") || "no scope", scopes, await mint(scopes)),
  );
  const revoked = await callerOf("revoked", [], await mint(allScopes, { name: "revoked" }));
  const expired = await callerOf(
    "expired",
    [],
    await mint(allScopes, { expires_at: clock.now() + 1_000_000 }),
  );
  await ctx.data.atomically((writes) => writes.revokeToken("revoked", clock.now()));
  clock.advance(1_000_000);
  const invalid = [
    revoked,
    expired,
    await callerOf("unknown", [], generateToken()),
    await callerOf("garbage", [], "not-one-of-ours"),
  ];
  const callers = [
    ...(await Promise.all(valid)),
    await callerOf("anonymous", []),
    ...invalid.map((one) => ({ ...one, isInvalid: true as const })),
  ];
  for (const one of callers) {
    one.cookie = `${one.cookie}; ${issueFormToken(ctx).cookie.split(";")[0]}`;
    one.csrf = must((await visitorFrom(ctx, one.cookie)).csrf);
  }
  return callers;
}

/** The whole state of a library, to see that a refusal changed nothing. */
const stateOf = async (library: Library) => ({
  keys: (await library.keys()).toSorted(),
  published: await library.keys(library.publicStore),
  head: await library.ctx.data.head(),
  assets: (await library.ctx.data.assets(null, { limit: 10_000 }))
    .map(({ id, status }) => `${id} ${status}`)
    .toSorted(),
});

/** The file of an upload is moved only after the response that finalizes it. */
async function isTidied(library: Library): Promise<boolean> {
  const { keys, assets } = await stateOf(library);
  const finalized = new Set(assets.map((one) => pendingKey(one.split(" ", 1)[0] as string)));
  return keys.every((key) => !finalized.has(key));
}

export interface ScopeMatrix {
  library: Library;
  callers: ScopeCaller[];
  /** Assets and uploads that refused requests share. */
  shared: Fresh;
  /**
   * Sends each request as each caller: first those who may not, who get the status `refusal` and change
   * nothing; then those who may, by default those with the scope. By default all callers send.
   * @returns the number of requests
   */
  expectAccess(
    requests: ScopeRequest[],
    refusal: (caller: ScopeCaller) => number,
    may?: (caller: ScopeCaller, needs: Needed) => boolean,
    isAsking?: (caller: ScopeCaller) => unknown,
  ): Promise<number>;
}

/** Opens a library with its callers. */
export async function openScopeMatrix(dialect: Dialect, place: StorePlace): Promise<ScopeMatrix> {
  const library = await openLibrary(dialect, place);
  const { ctx } = library;
  // What a file is does not matter here: without a probe, thousands of uploads are quick.
  const measures = { width: null, height: null, duration_ms: null };
  const inspection = { mime: "text/plain", kind: "file", ...measures } as const;
  ctx.probe.inspectWithThumbnail = async () => ({ inspection, thumbnail: null, ...noLooks });
  ctx.probe.removalEdits = async () => [{ start: 0, end: 1, replacement: new Uint8Array() }];
  const model = {
    id: "model-1",
    provider: "acme",
    lanes: [],
    onboarded_at: 1,
    refreshed_at: 1,
    guidance_count: 0,
    skill_count: 0,
  };
  await ctx.data.atomically((writes) => writes.saveModel(model));
  const callers = await openCallers(library, dialect);
  const fresh = openFresh(library);
  const [
    pending,
    approved,
    published,
    reserved,
    annotated,
    decision,
    rejection,
    proposal,
    budget,
    run,
    keyedRun,
    cachedBrief,
    made,
    webhook,
    share,
    token,
    person,
  ] = [
    await fresh.pending(),
    await fresh.approved(),
    await fresh.published(),
    await fresh.reserved(),
    await fresh.annotated(),
    await fresh.decision(),
    await fresh.rejection(),
    await fresh.proposal(),
    await fresh.budget(),
    await fresh.run(),
    await fresh.keyedRun(),
    await fresh.cachedBrief(),
    await fresh.made(),
    await fresh.webhook(),
    await fresh.share(),
    await fresh.token(),
    await fresh.person(),
  ];
  const shared: Fresh = {
    pending: async () => pending,
    approved: async () => approved,
    published: async () => published,
    reserved: async () => reserved,
    inParts: async () => reserved,
    annotated: async () => annotated,
    checklist: fresh.checklist,
    decision: async () => decision,
    rejection: async () => rejection,
    proposal: async () => proposal,
    budget: async () => budget,
    run: async () => run,
    keyedRun: async () => keyedRun,
    cachedBrief: async () => cachedBrief,
    made: async () => made,
    webhook: async () => webhook,
    share: async () => share,
    token: async () => token,
    person: async () => person,
  };
  const hasScope = (caller: ScopeCaller, needs: Needed) =>
    needs === "any token"
      ? Boolean(caller.token) && !caller.isInvalid
      : needs === "every scope"
        ? isAdmin({ scopes: new Set(caller.scopes), projects: null })
        : needs === "public" || grants(new Set(caller.scopes), needs);
  const expectStatus = async (
    { name, send }: ScopeRequest,
    one: ScopeCaller,
    made: Fresh,
    status: number,
  ) => {
    const response = await send(one, made);
    const label = `${name} by ${one.name}`;
    if (response.status !== status)
      expect([label, response.status, await response.text()]).toEqual([label, status, ""]);
    await response.body?.cancel();
  };
  return {
    ...{ library, callers, shared },
    async expectAccess(requests, refusal, may = hasScope, isAsking = () => true) {
      const asking = callers.filter(isAsking);
      await until(() => isTidied(library), "the files of finalized uploads were moved");
      const before = await stateOf(library);
      for (const request of requests)
        for (const one of asking)
          if (!may(one, request.needs)) await expectStatus(request, one, shared, refusal(one));
      expect(await stateOf(library)).toEqual(before);
      for (const request of requests)
        for (const one of asking)
          if (may(one, request.needs)) await expectStatus(request, one, fresh, request.success);
      return requests.length * asking.length;
    },
  };
}
