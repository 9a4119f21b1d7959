/** A delivery of GitHub → the event it stands for, or null where it stands for none. */
import type { Appendable } from "../data.ts";
import type { EventKind } from "../feed/schema.ts";
import { badRequest } from "../problem.ts";
import { cut } from "./text.ts";

/** Larger deliveries are kept without their body. */
const payloadBytesMax = 64 * 2 ** 10;

type Members = Record<string, unknown>;
/** What a mapping finds in a delivery. */
interface Found {
  kind: EventKind;
  summary: string;
  /** The object that changed: `id` and the time of the change are part of what is signed. */
  subject: Members;
  at?: unknown;
  url?: unknown;
  issue?: unknown;
  pr?: unknown;
  duration_ms?: number | null;
  /** Tells two changes of one object at one instant apart. */
  also?: string;
}

interface Mapping {
  /** Members that a body under this name has, and one of its twins does not. */
  has: string[];
  hasNot?: string[];
  find(body: Members, action: string): Found | null;
}

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
const words = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

const issueKinds: Record<string, [EventKind, string]> = {
  opened: ["issue.opened", "opened"],
  reopened: ["issue.opened", "reopened"],
  labeled: ["issue.labeled", "labeled"],
  closed: ["issue.closed", "closed"],
};

const previewKinds: Record<string, EventKind> = { success: "preview.ready", failure: "preview.failed", error: "preview.failed" };

const mappings: Record<string, Mapping> = {
  issues: {
    has: ["issue"],
    hasNot: ["comment"],
    find(body, action) {
      const subject = members(body.issue);
      const [kind, verb] = issueKinds[action] ?? [];
      if (!kind) return null;
      const label = action === "labeled" ? words(members(body.label).name) : "";
      const summary = `Issue #${words(subject.number)} ${verb}${label && ` ${label}`}: ${words(subject.title)}`;
      return { kind, subject, summary, issue: subject.number, url: subject.html_url, ...(label && { also: label }) };
    },
  },
  pull_request: {
    has: ["pull_request", "number"],
    hasNot: ["review", "comment", "thread"],
    find(body, action) {
      const subject = members(body.pull_request);
      if (action !== "opened" && action !== "closed") return null;
      const kind = action === "opened" ? "pr.opened" : subject.merged === true ? "pr.merged" : "pr.closed";
      return {
        kind,
        subject,
        summary: `PR #${words(subject.number)} ${kind.slice(3)}: ${words(subject.title)}`,
        pr: subject.number,
        url: subject.html_url,
      };
    },
  },
  pull_request_review: {
    has: ["review", "pull_request"],
    find(body, action) {
      const subject = members(body.review);
      const pull = members(body.pull_request);
      if (action !== "submitted") return null;
      const summary = `PR #${words(pull.number)} ${words(subject.state).replaceAll("_", " ")}: ${words(subject.body) || words(pull.title)}`;
      return { kind: "pr.review", subject, at: subject.submitted_at, summary, pr: pull.number, url: subject.html_url };
    },
  },
  workflow_run: {
    has: ["workflow_run"],
    find(body, action) {
      const subject = members(body.workflow_run);
      if (action !== "completed") return null;
      const pulls = Array.isArray(subject.pull_requests) ? subject.pull_requests : [];
      const tookMs = Date.parse(words(subject.updated_at)) - Date.parse(words(subject.run_started_at));
      const summary = `${words(subject.name)} ${words(subject.conclusion).replaceAll("_", " ")} on ${words(subject.head_branch)} (#${words(subject.run_number)})`;
      return {
        kind: "workflow.run",
        subject,
        summary,
        pr: members(pulls[0]).number,
        url: subject.html_url,
        duration_ms: tookMs >= 0 ? tookMs : null,
      };
    },
  },
  deployment_status: {
    has: ["deployment_status", "deployment"],
    find(body) {
      const subject = members(body.deployment_status);
      const kind = previewKinds[words(subject.state)];
      if (!kind) return null;
      const summary = `Preview ${kind.slice(8)} in ${words(subject.environment)}${subject.description ? `: ${words(subject.description)}` : ""}`;
      return { kind, subject, summary, url: subject.environment_url || subject.target_url || subject.log_url };
    },
  },
};

/**
 * @param name of the event, from a header that nobody signs: the body must fit it
 * @param delivery the delivery's id, unsigned as well: only a second key
 */
export function eventOfDelivery(name: string, delivery: string, bytes: Uint8Array, value: unknown): Appendable | null {
  const body = members(value);
  const mapping = Object.hasOwn(mappings, name) ? mappings[name] : undefined;
  if (body !== value) throw badRequest("A delivery is a JSON object.");
  if (!mapping) return null;
  if (
    !mapping.has.every((member) => members(body[member]) === body[member] || typeof body[member] === "number") ||
    mapping.hasNot?.some((member) => member in body)
  )
    throw badRequest(`The body does not fit X-GitHub-Event: ${name}.`);
  const action = words(body.action);
  const repository = members(body.repository);
  const repo = words(repository.full_name);
  if (!repo) throw badRequest("The delivery names no repository.");
  const found = mapping.find(body, action);
  if (!found) return null;
  const at = found.at ?? found.subject.updated_at;
  const signed = at
    ? [repository.id, name, found.subject.id, action, at, found.also]
    : [new Bun.CryptoHasher("sha256").update(bytes).digest("hex")];
  return {
    kind: found.kind,
    actor: actorOf(members(body.sender)),
    summary: cut(found.summary, 1024) || found.kind,
    repo,
    issue: numberOf(found.issue),
    pr: numberOf(found.pr),
    url: httpsOf(found.url),
    duration_ms: found.duration_ms ?? null,
    dedupe_key: `github:${signed.map(words).filter(Boolean).join(":")}`.slice(0, 255),
    delivery_id: delivery,
    payload: bytes.length <= payloadBytesMax ? body : { action, at },
  };
}

function actorOf(sender: Members): string {
  const login = cut(words(sender.login), 128).replace(/\s/g, "") || "unknown";
  return `${sender.type === "Bot" ? "bot" : "human"}:${login}`;
}

const numberOf = (value: unknown): number | null =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= 2_147_483_647 ? (value as number) : null;

const httpsOf = (value: unknown): string | null =>
  typeof value === "string" && value.startsWith("https://") && value.length <= 2048 && URL.canParse(value) ? value : null;
