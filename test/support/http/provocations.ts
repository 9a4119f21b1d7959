/**
 * Requests that make each operation answer with each of its documented statuses, built from the OpenAPI
 * document, and variants of the deployment to send them to.
 */

import { ulid } from "ulid";
import type { Context } from "../../../src/api/context.ts";
import type { Connection } from "../../../src/api/http/api-middleware.ts";
import { httpOperations } from "../../../src/api/operations/index.ts";
import type { Data } from "../../../src/api/port.ts";
import { allScopes, grants, type Scope } from "../../../src/core/auth/scopes.ts";
import type { OwnSessions } from "../../../src/core/auth/session/schema.ts";
import { signIn } from "../../../src/core/auth/session/session.ts";
import { paths } from "../../../src/core/info.ts";
import { unavailable } from "../../../src/core/problem.ts";
import { budgetsMax } from "../../../src/feed/budgets/schema.ts";
import type { DigestStatus } from "../../../src/integrations/email/schema.ts";
import { webhookPath } from "../../../src/integrations/incoming-webhooks/senders.ts";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import { buildApp } from "../../../src/web/app.ts";
import { pngWith, textChunk, webUiText } from "../assets/described-images.ts";
import { exampleDeliveryOf, type OtherSender, withoutProof } from "../forges/example-deliveries.ts";
import { forgeDelivery, forgeEnv } from "../forges/forge-deliveries.ts";
import { delivery, example as exampleDelivery, secret } from "../forges/github-webhooks.ts";
import type { TestRequest } from "../harness.ts";
import { file, type Library } from "../library.ts";
import { startRun } from "../memory/runs.ts";
import { createShare } from "../review/shares.ts";
import { addWebhook } from "../webhooks/webhook-rows.ts";

export interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: { type?: string; format?: string } }[];
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> };
  responses: Record<string, unknown>;
  "x-required-scopes"?: Scope[];
}

export interface Place {
  method: string;
  /** As in the OpenAPI document, relative to its server URL. */
  path: string;
  operation: Operation;
}

/** A request with its path. */
export interface RequestTo extends TestRequest {
  path: string;
}

/**
 * `whole` works. The others fail: `quota` has no requests left, `writes` is read-only, `sense` throws an
 * unexpected error, `database` is unavailable.
 */
export type Variant = "whole" | "quota" | "writes" | "sense" | "database";

const { SVC_PUBLIC_READ: _, ...forgeSecrets } = forgeEnv;
export const environment = {
  ...forgeSecrets,
  SVC_RATE_LIMIT: "1000000/60",
  SVC_GITHUB_WEBHOOK_SECRET: secret,
  SVC_MAX_UPLOAD_BYTES: "1000",
};

/** Opens every variant of the deployment over one database. */
export function openVariants({ ctx, ask }: Library): Record<Variant, Library["ask"]> {
  const every = (fail: () => unknown): Data =>
    new Proxy(ctx.data, {
      get: (_, name) =>
        name === "dataVersion" || name === "tokensVersion" ? () => null : async () => Promise.reject(fail()),
    });
  const variant = (change: Partial<Context>): Library["ask"] => {
    const handle = buildApp({ ...ctx, ...change });
    return (path, { token, address = "192.0.2.1", json, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (token) headers.set("authorization", `Bearer ${token}`);
      if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
      const from: Connection = { requestIP: () => ({ address }), timeout() {} };
      const body = json === undefined ? init.body : JSON.stringify(json);
      return handle(
        new Request(`http://svc.test${path}`, { ...init, headers, ...(body != null && { body }) }),
        from,
      );
    };
  };
  return {
    whole: ask,
    quota: variant({ config: { ...ctx.config, rateLimit: { quota: 1, seconds: 60 } } }),
    writes: variant({ config: { ...ctx.config, mock: true } }),
    sense: variant({ data: every(() => new Error("an unexpected error")) }),
    database: variant({ data: every(() => unavailable("The database is unavailable.")) }),
  };
}

export interface StatusRequest {
  world: Variant;
  send: RequestTo;
}

/** They need a token of an admin, not a scope. */
const forAdmins: ReadonlySet<string> = new Set(
  httpOperations.filter(({ token }) => token === "admin").map(({ id }) => id),
);
const peopleOperations: ReadonlySet<string> = new Set(["setPerson", "removePerson"]);
const decisionOperations: ReadonlySet<string> = new Set([
  "getDecision",
  "listDecisionUses",
  "retireDecision",
  "rewordDecision",
  "reportStop",
  "setDecisionChecks",
  "setDecisionAnchors",
]);
const standingOperations: ReadonlySet<string> = new Set(["confirmDecision", "dropDecision"]);

const shareOperations: ReadonlySet<string> = new Set([
  ...["getShare", "updateShare", "renewShare", "revokeShare", "getShareLog"],
]);

const digestOperations: ReadonlySet<string> = new Set(["sendEmailDigest", "removeEmailDigest"]);

/** The sender of a webhook's path, if it is not GitHub, whose deliveries have more statuses. */
/** Telemetry and hooks of agents have paths beside the API, and ten times its quota. */
const isOfAgents = (path: string): boolean =>
  [paths.otlp, paths.litellm, paths.langfuse, `${paths.hooks}/agents/`].some((start) =>
    path.startsWith(start),
  );

const senderOf = (path: string): OtherSender | null =>
  path.startsWith(`${paths.hooks}/`) && !isOfAgents(path) && path !== webhookPath("github")
    ? (path.slice(paths.hooks.length + 1) as OtherSender)
    : null;

/** Values of required query parameters that are no words. */
const removalOperations = { planRemoval: true, exportRemoval: true, takeBack: true };
const requiredValues: Record<string, string> = { project: "atlas", sha256: "0".repeat(64) };

export class StatusRequests {
  constructor(
    readonly library: Library,
    readonly token: string,
  ) {}

  /** Returns the requests that make the operation answer with this status. */
  async requestsFor({ method, path, operation }: Place, status: number): Promise<StatusRequest[]> {
    const right = () => this.#right({ method, path, operation });
    const takesBody = method !== "get";
    if ([409, 413, 415].includes(status) && !takesBody) return [];
    if (status === 404 && operation.operationId === "streamFeed")
      return [{ world: "whole", send: { ...(await right()), headers: { "last-event-id": "4711" } } }];
    const namesThing = operation.parameters?.some(({ name }) => name === "project" || name === "subject");
    if (status === 404 && !takesBody && !path.includes("{") && !namesThing) return [];
    const whole = (...sent: RequestTo[]): StatusRequest[] => sent.map((send) => ({ world: "whole", send }));
    const elsewhere = async (world: Variant): Promise<StatusRequest[]> => [{ world, send: await right() }];
    switch (status) {
      case 200:
      case 207:
        if (operation.operationId === "receiveDelivery")
          return whole({ path, ...(delivery("ping", {}) as TestRequest) });
        return whole(await right());
      case 201:
      case 202:
        return whole(await right());
      case 304:
        return whole({ ...(await right()), headers: { "if-none-match": "*" } });
      case 400:
        return whole(...this.#wrong(await right(), operation));
      case 401:
        return whole(await this.#without(right(), operation.operationId));
      case 403:
        return whole({
          ...(await right()),
          token: await this.library.mint(
            isOfAgents(path) || forAdmins.has(operation.operationId)
              ? ["feed:read"]
              : allScopes.filter(
                  (one) => !operation["x-required-scopes"]?.some((scope) => grants(new Set([one]), scope)),
                ),
          ),
        });
      case 404:
        return whole(await this.#nowhere({ method, path, operation }));
      case 405:
        return whole({ ...(await right()), json: undefined, body: null, method: "PATCH" });
      case 409:
        return whole(await this.#late(operation.operationId));
      case 413:
        return whole(await this.#tooMuch(await right(), operation.operationId));
      case 415: {
        const sent = await right();
        return whole({
          ...sent,
          json: undefined,
          body: "words",
          headers: {
            ...Object.fromEntries(new Headers(sent.headers)),
            "content-type": "text/plain",
            "content-encoding": "unknown", // all that LiteLLM and Langfuse can send wrongly here
          },
        });
      }
      case 429: {
        // Requests without a token are counted by IP address.
        const sent = {
          ...(await right()),
          token: undefined,
          address: `192.0.2.${2 + Math.floor(Math.random() * 250)}`,
        } as unknown as RequestTo;
        // Telemetry has ten times the quota, and counts by itself.
        if (isOfAgents(path)) return Array.from({ length: 11 }, () => ({ world: "quota", send: sent }));
        return [
          { world: "quota", send: { path: "/api/v1/info", address: sent.address as string } },
          { world: "quota", send: sent },
        ];
      }
      case 500:
        return elsewhere("sense");
      case 501:
        return elsewhere("writes");
      case 503:
        return elsewhere("database");
      default:
        return [];
    }
  }

  /** The example request of the document, for resources that exist. */
  async #right({ method, path, operation }: Place): Promise<RequestTo> {
    const { operationId: id, requestBody } = operation;
    const sender = senderOf(path);
    if (sender)
      return { path: `${path}?project=atlas`, ...((await exampleDeliveryOf(sender)) as TestRequest) };
    if (id === "addRunBrief") return this.#cachedBrief();
    if (id === "receiveDelivery")
      return { path, ...(delivery("issues", exampleDelivery("issues", "opened")) as TestRequest) };
    const content = requestBody?.content["application/json"];
    const made = path.includes("{id}") ? await this.#thing(id) : undefined;
    if (id === "getChecklist") await this.#checklist();
    if (id === "getSetReview") await this.library.plant({ set: "words" });
    const filled = path
      .replace("{slug}", "atlas")
      .replace("{name}", path.includes("{name}") ? await this.#named(path) : "")
      .replace("{kind}", "pdf")
      .replace("{agent}", "claude-code")
      .replace("{id}", made?.id ?? "");
    const example = made?.body ?? content?.example;
    const removed = id in removalOperations ? String(await this.#decision()) : "";
    const changes: Record<string, object> = {
      addEmailDigest: { address: `${ulid()}@example.com` },
      offboard: { to: "everything" },
      takeBack: { kind: "decision", subject: removed },
      ...(id === "setTokenOwner" && { setTokenOwner: { owner: await this.#person() } }),
    };
    const values: Record<string, string> = { ...requiredValues, kind: "decision", subject: removed };
    const json = changes[id] ? { ...example, ...changes[id] } : example;
    const body = requestBody?.content["multipart/form-data"] && formOf("atlas");
    const required = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required);
    const query = new URLSearchParams(required.map(({ name }) => [name, values[name] ?? "words"]));
    return {
      path: `${isOfAgents(path) ? "" : paths.api}${filled}${required.length > 0 ? `?${query}` : ""}`,
      token: this.token,
      method: method.toUpperCase(),
      ...(json && { json }),
      ...(body && { body }),
    };
  }

  /** The id of a session of the token. */
  async #session(): Promise<string> {
    await signIn(this.library.ctx, this.token);
    const answer = await this.library.ask("/api/v1/sessions", { token: this.token });
    const { sessions } = (await answer.json()) as OwnSessions;
    return sessions[0]?.id ?? "";
  }

  /** A person to offboard, or a token that no other request uses. */
  async #named(path: string): Promise<string> {
    if (path.startsWith("/offboarding/")) return this.#person();
    const name = ulid().toLowerCase();
    await this.library.mint(["assets:review"], { name });
    return name;
  }

  /** Reports a brief that was fetched and cached before its run. */
  async #cachedBrief(): Promise<RequestTo> {
    const { library, token } = this;
    const from = `brief-cache:${ulid()}`;
    const answer = await library.ask(`/api/v1/projects/atlas/brief?run_id=${from}`, { token });
    const { text } = (await answer.json()) as { text: string };
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const json = { project: "atlas", hash, from };
    return {
      path: `${paths.api}/runs/${await startRun(library.ctx.data)}/briefs`,
      token,
      method: "POST",
      json,
    };
  }

  /** Creates a resource that the operation applies to. */
  async #thing(id: string): Promise<{ id: string; body?: object }> {
    const { library } = this;
    if (id === "finalizeAsset") {
      const { body } = await library.presign({});
      await library.put(body, "some words");
      return { id: body.id, body: body.finalize_body };
    }
    if (id === "requestUploadParts") return { id: (await library.presign({})).body.id, body: { size: 10 } };
    if (id === "getRun") return { id: await startRun(library.ctx.data) };
    if (id === "getAssetRun")
      return { id: (await library.plant({ run_id: await startRun(library.ctx.data) })).id };
    if (digestOperations.has(id)) return { id: await this.#digest("active") };
    if (/webhook/i.test(id))
      return { id: await addWebhook(library.ctx.data, { url: "https://webhook.invalid/in" }) };
    if (id === "rewordDecision") return { id: await this.#rejection(), body: { text: `Lighter ${ulid()}` } };
    if (standingOperations.has(id)) return { id: String(await this.#decision({ by: "agent:codex" })) };
    if (decisionOperations.has(id)) return { id: String(await this.#decision()) };
    if (peopleOperations.has(id)) return { id: await this.#person() };
    if (id === "endSession") return { id: await this.#session() };
    if (id === "removeBudget") return { id: String(await this.#budget()) };
    if (id === "changeAnnotation") return { id: (await this.#annotation()).id, body: { state: "honoured" } };
    if (id === "respondToAnnotations")
      return { id: (await this.#annotation()).asset_id, body: { n: 1, reply: "On purpose" } };
    if (id === "removeMetadata") {
      const image = new File([new Uint8Array(pngWith(textChunk("parameters", webUiText)))], "map.png");
      return (await library.upload({ project: "atlas" }, image)).body;
    }
    const asset = await library.plant({ bytes: "some words" });
    if (shareOperations.has(id)) return { id: (await createShare(library, asset.id)).id };
    if (id === "publishAsset" || id === "unpublishAsset")
      await library.review(asset.id, { decision: "approved" });
    if (id === "unpublishAsset") await library.say(`/assets/${asset.id}/publish`, { method: "POST" });
    return { id: asset.id };
  }

  /** Annotates a new asset. */
  async #annotation(): Promise<Annotation> {
    const { id } = await this.library.plant({ bytes: "some words" });
    const sent = { json: { body: "The logo is cut off" } };
    return (await this.library.say<Annotation>(`/assets/${id}/annotations`, sent)).body;
  }

  /** The id of the decision of a rejected asset. */
  async #rejection(): Promise<string> {
    const { library, token } = this;
    const { id } = await library.plant({ bytes: "some words" });
    await library.review(id, { decision: "rejected", note: "Too dark" });
    const answer = await library.ask(`/api/v1/assets/${id}/review`, { token });
    const { items } = (await answer.json()) as { items: { decision_id: number }[] };
    return String(items[0]?.decision_id);
  }

  /** Sets the checklist of atlas for PDFs. */
  async #checklist(): Promise<void> {
    const json = { items: [{ text: "Sharp" }] };
    const path = "/api/v1/projects/atlas/checklists/pdf";
    await this.library.ask(path, { token: this.token, method: "PUT", json });
  }

  /** Adds an email digest. @returns its id */
  async #digest(status: DigestStatus): Promise<string> {
    const id = ulid();
    const at = this.library.clock.now();
    const confirmed_at = status === "pending" ? null : at;
    await this.library.ctx.data.atomically((writes) =>
      writes.addDigest({
        ...{ id, address: `${id}@example.com`, period: "daily", hour: 7, project: null, owner: null },
        ...{ status, problem: null, created_at: at, confirmed_at, covered_until: at, due_at: at },
        ...{ next_at: at, attempts: 0, said_quiet: false },
      }),
    );
    return id;
  }

  /** Adds a budget, also beyond the most that requests can add. @returns its id */
  #budget(): Promise<number> {
    const row = {
      project: "atlas",
      team: null,
      person: null,
      lane: null,
      model: ulid(),
      period: "month",
      amount: 1,
    } as const;
    return this.library.ctx.data.atomically((writes) =>
      writes.addBudget({ ...row, since: "2026-03-01", changed_by: "human:zoe", changed_at: 1 }),
    );
  }

  /** Adds a person. @returns their id */
  async #person(): Promise<string> {
    const id = ulid().toLowerCase();
    const link = [`email:${id}@example.com`];
    await this.library.ask(`/api/v1/people/${id}`, { token: this.token, method: "PUT", json: { link } });
    return id;
  }

  /** Records a decision. @returns its id */
  async #decision(fields: { supersedes?: number; by?: string } = {}): Promise<number> {
    const json = { project: "atlas", text: `Use globes ${ulid()}`, ...fields };
    const answer = await this.library.ask("/api/v1/decisions", { token: this.token, method: "POST", json });
    return ((await answer.json()) as { id: number }).id;
  }

  #wrong(sent: RequestTo, { operationId, parameters = [] }: Operation): RequestTo[] {
    const sender = senderOf((sent.path.split("?") as [string])[0]);
    if (sender) return [{ path: sent.path, ...(forgeDelivery(sender, "[]") as TestRequest) }];
    if (operationId === "receiveDelivery")
      return [{ path: sent.path, ...(delivery("issues", "{}", { "x-github-event": null }) as TestRequest) }];
    if (operationId === "uploadAsset") return [{ ...sent, body: formOf(null) }];
    if (operationId === "receiveLitellmRows") return [{ ...sent, json: "words" }];
    if (sent.json !== undefined) return [{ ...sent, json: [] }];
    const [path] = sent.path.split("?") as [string];
    const named = parameters.find(
      (one) => one.in === "query" && (one.schema.format || one.schema.type === "integer"),
    );
    const [plain] = parameters.filter((one) => one.in === "query");
    if (!named && plain && !path.includes("/projects/"))
      return [{ ...sent, path: `${path}?${plain.name}=twice&${plain.name}=twice` }];
    return [
      named
        ? { ...sent, path: `${path}?${named.name}=never` }
        : {
            ...sent,
            path: path.replace(
              /\/(?:annotations|assets|budgets|decisions|email-digests|offboarding|people|projects|runs|sessions|shares|tokens|webhooks)\/[^/]+/,
              (part) => `${part}${"x".repeat(300)}`,
            ),
          },
    ];
  }

  async #without(sending: Promise<RequestTo>, id: string): Promise<RequestTo> {
    const { token: _, ...sent } = await sending;
    if (sent.path.startsWith(`${paths.hooks}/`) && id !== "receiveDelivery")
      return { path: sent.path, ...(withoutProof(sent as RequestInit) as TestRequest) };
    return id === "receiveDelivery"
      ? {
          ...sent,
          headers: { ...Object.fromEntries(new Headers(sent.headers)), "x-hub-signature-256": "sha256=00" },
        }
      : sent;
  }

  /** The same request for a resource that does not exist. */
  async #nowhere(place: Place): Promise<RequestTo> {
    const sent = await this.#right(place);
    if (place.operation.operationId === "addRunBrief")
      return { ...sent, json: { ...(sent.json as object), from: "brief-cache:never" } };
    // A person or a project that does not exist is added, unless the path is not UTF-8.
    if (["setPerson", "linkProject"].includes(place.operation.operationId))
      return { ...sent, path: sent.path.replace(/[^/]+$/, "%ff") };
    if (/\{slug\}/.test(place.path) || sent.path.includes("project=atlas"))
      return { ...sent, path: sent.path.replace("atlas", "nowhere") };
    if (["planRemoval", "exportRemoval"].includes(place.operation.operationId))
      return { ...sent, path: sent.path.replace(/\d+$/, "999999") };
    if (place.operation.operationId === "takeBack")
      return { ...sent, json: { ...(sent.json as object), subject: "999999" } };
    if (place.path.includes("{name}"))
      return { ...sent, path: sent.path.replace(/(?<=\/(?:offboarding|tokens)\/)[^/]+/, "nobody") };
    if (place.path.includes("{agent}")) return { ...sent, path: sent.path.replace(/[^/]+$/, "nobody") };
    if (sent.body) return { ...sent, body: formOf("nowhere") };
    if (!place.path.includes("{id}") && place.method === "get")
      return { ...sent, path: `${sent.path}${sent.path.includes("?") ? "&" : "?"}project=nowhere` };
    if (!place.path.includes("{id}"))
      return { ...sent, json: { ...(sent.json as object), project: "nowhere" } };
    const isNumber = /^\/(decisions|budgets)\//.test(place.path);
    const ofPath = place.path.includes("people") ? ulid().toLowerCase() : ulid();
    const ofSession = place.path.startsWith("/sessions/") ? "0".repeat(16) : null;
    const id = ofSession ?? (isNumber ? "4711" : ofPath);
    const json = sent.json as { key?: string } | undefined;
    return {
      ...sent,
      path: sent.path.replace(
        /(?<=\/(?:annotations|assets|budgets|decisions|email-digests|people|runs|sessions|shares|webhooks)\/)[^/]+/,
        id,
      ),
      ...(json && { json: { ...json, ...(json.key && { key: `atlas/${id}/note.txt` }) } }),
    };
  }

  /** A request that conflicts with an earlier one or with the resource's state. */
  async #late(id: string): Promise<RequestTo> {
    const { library, token } = this;
    const post = (path: string, json: object, method = "POST"): RequestTo => ({
      path: `/api/v1${path}`,
      token,
      method,
      json,
    });
    if (id === "decide") {
      const supersedes = await this.#decision();
      await this.#decision({ supersedes });
      return post("/decisions", { project: "atlas", text: "Use maps", supersedes });
    }
    if (id === "claimWork") {
      const by = (run_id: string) => post("/projects/atlas/claims", { subjects: ["#77"], run_id });
      await library.ask(by("first").path, by("first"));
      return by("second");
    }
    if (id === "retireDecision") {
      const retire = post(`/decisions/${await this.#decision()}/retire`, {});
      await library.ask(retire.path, retire);
      return retire;
    }
    if (id === "setDecisionChecks" || id === "setDecisionAnchors") {
      const decision = await this.#decision();
      const retire = post(`/decisions/${decision}/retire`, {});
      await library.ask(retire.path, retire);
      const list = id === "setDecisionChecks" ? "checks" : "anchors";
      return post(`/decisions/${decision}/${list}`, { [list]: [] }, "PUT");
    }
    if (standingOperations.has(id)) {
      const path = `/api/v1/decisions/${await this.#decision()}`;
      return { path: path + (id === "confirmDecision" ? "/confirm" : "/drop"), token, method: "POST" };
    }
    if (id === "linkProject") return post("/projects/taken", { repo: "Codertocat/Hello-World" }, "PUT");
    if (id === "rewordDecision") {
      const reword = post(`/decisions/${await this.#rejection()}/reword`, { text: "Lighter" });
      await library.ask(reword.path, reword);
      return reword;
    }
    if (id === "takeBack") {
      const subject = String(await this.#decision());
      const sent = post("/removals", { kind: "decision", subject, reason: "It names a customer" });
      await library.ask(sent.path, sent);
      return sent;
    }
    if (id === "addEmailDigest") {
      const sent = post("/email-digests", { address: `${ulid()}@example.com`, period: "daily" });
      await library.ask(sent.path, sent);
      return sent;
    }
    if (id === "resumeWebhook") {
      const name = ulid().toLowerCase();
      await library.mint(["webhooks:write"], { name });
      const webhook = await addWebhook(library.ctx.data, { url: "https://webhook.invalid/in", owner: name });
      await library.ctx.data.atomically((writes) => writes.revokeToken(name, library.clock.now()));
      return post(`/webhooks/${webhook}/resume`, {});
    }
    if (id === "sendEmailDigest")
      return { path: `/api/v1/email-digests/${await this.#digest("pending")}/send`, token, method: "POST" };
    if (id === "setPerson") {
      const link = [`email:${await this.#person()}@example.com`];
      return post("/people/late", { link }, "PUT");
    }
    if (id === "setBudget") {
      for (let count = 0; count < budgetsMax; count++) await this.#budget();
      return post("/budgets", { model: ulid(), period: "month", amount: 1 }, "PUT");
    }
    if (id === "reviewSet") {
      const { id: picked } = await library.plant({ set: "late" });
      const variants = [{ id: picked, decision: "approved" }];
      const checklist = { version: 7, answers: [] };
      return post("/assets/review", { project: "atlas", set: "late", variants, checklist }, "PUT");
    }
    if (id === "changeAnnotation")
      return post(`/annotations/${(await this.#annotation()).id}`, { body: "Too dark" });
    if (id === "respondToAnnotations")
      return post(`/assets/${(await this.#annotation()).asset_id}/annotations/respond`, {
        n: 1,
        state: "addressed",
      });
    const first = await library.plant({ bytes: "some words" });
    if (id === "updateShare" || id === "renewShare") {
      const { id: share } = await createShare(library, first.id);
      await library.say(`/shares/${share}/revoke`, { method: "POST" });
      return id === "renewShare"
        ? post(`/shares/${share}/renew`, {})
        : post(`/shares/${share}`, { recipient: "Bo" });
    }
    if (id === "annotateAsset")
      return post(`/assets/${first.id}/annotations`, { body: "Too dark", sha256: "0".repeat(64) });
    if (id === "removeMetadata")
      return { path: `/api/v1/assets/${first.id}/remove-metadata`, token, method: "POST" };
    if (id === "publishAsset") return { path: `/api/v1/assets/${first.id}/publish`, token, method: "POST" };
    if (id === "unpublishAsset") return post(`/assets/${first.id}/unpublish`, { reason: "The wrong logo" });
    if (id === "finalizeAsset") {
      const { id: reserved, body } = await this.#thing(id);
      await library.ask(`/api/v1/assets/${reserved}/finalize`, post("", body as object));
      return post(`/assets/${reserved}/finalize`, body as object);
    }
    if (id === "requestUploadParts") return post(`/assets/${first.id}/parts`, { size: 10 });
    await library.plant({ bytes: "more words" }, first.id);
    if (id === "requestReview") return post(`/assets/${first.id}/review-requests`, {});
    if (id === "reviewAsset") return post(`/assets/${first.id}/review`, { decision: "approved" }, "PUT");
    if (id === "uploadAsset")
      return { path: "/api/v1/assets", token, method: "POST", body: formOf("atlas", "more words", first.id) };
    return post("/assets/presign", { project: "atlas", filename: "note.txt", replaces: first.id });
  }

  async #tooMuch(sent: RequestTo, id: string): Promise<RequestTo> {
    if (id === "uploadAsset") return { ...sent, json: undefined, body: formOf("atlas", "x".repeat(2000)) };
    return {
      ...sent,
      headers: { ...Object.fromEntries(new Headers(sent.headers)), "content-length": String(2 ** 30) },
    };
  }
}

function formOf(project: string | null, bytes = "some words", replaces?: string): FormData {
  const form = new FormData();
  if (replaces) form.append("replaces", replaces);
  if (project !== null) form.append("project", project);
  form.append("file", file("note.txt", bytes));
  return form;
}
