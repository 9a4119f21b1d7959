/** Bitbucket Cloud's webhooks and its REST API. */
import { type Static, Type } from "@sinclair/typebox";
import { forges, type SourceRepository } from "../../../core/forges/schema.ts";
import { checker } from "../../../core/lib/validate.ts";
import { actorNamed, parseMapped } from "../../incoming-webhooks/mapping.ts";
import { type Delivery, json, type ParsedDelivery } from "../../incoming-webhooks/sender.ts";
import { isHexHmac, piecesOf } from "../../incoming-webhooks/signatures.ts";
import type { Forge, ForgeIssues, TaskPlace } from "../forge.ts";
import { type Envelope, envelope, eventMappings } from "./events.ts";
import page from "./page.md" with { type: "text" };

const pageLength = 100;

const pathOf = ({ repo, number, is_pull }: TaskPlace): string =>
  `/repositories/${repo}/${is_pull ? "pullrequests" : "issues"}/${number}`;

interface Comments {
  values: { content?: { raw?: string } }[];
  next?: string;
}

const closedStates = new Set(["resolved", "closed", "invalid", "duplicate", "wontfix"]);

/** Issues and pull requests in Bitbucket Cloud's REST API. */
const issues: ForgeIssues = {
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  // Bitbucket shows HTML comments as text. A link definition that nothing refers to is not shown.
  mark: (marker) => `[svc-${marker}]: https://bitbucket.org`,
  async listComments(call, task, page) {
    const query = `pagelen=${pageLength}&page=${page}`;
    const { values, next } = (await call("GET", `${pathOf(task)}/comments?${query}`)) as Comments;
    return { bodies: values.map(({ content }) => content?.raw), isLast: !next };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/comments`, { content: { raw: body } }),
  /** A declined pull request cannot be reopened. */
  async reopen(call, task) {
    if (task.is_pull) return;
    const { state } = (await call("GET", pathOf(task))) as { state?: string };
    if (closedStates.has(state ?? "")) await call("PUT", pathOf(task), { state: "open" });
  },
};

const source = "X-Event-Key";

export const bitbucket: Forge = {
  page,
  label: "Bitbucket",
  docs: "/docs/forges#bitbucket",
  media: json,
  proof: "X-Hub-Signature",
  headers: { event: source, id: "X-Request-UUID" },
  eventExample: "pullrequest:created",
  isAuthentic: ({ headers, bytes }, secret) =>
    isHexHmac(headers.get("x-hub-signature"), piecesOf(bytes), secret, { prefix: "sha256=" }),
  parse: (delivery) =>
    parseRename(delivery) ??
    parseMapped<Envelope>(delivery, {
      mappings: eventMappings,
      source,
      repositoryOf: ({ repository }) => sourceOf(repository),
      actorOf: ({ actor }) =>
        actor
          ? actorNamed(actor.type === "AppUser" ? "bot" : "human", actor.nickname || actor.display_name || "")
          : "bot:bitbucket",
    }),
  issues,
};

const sourceOf = ({ uuid, full_name }: Envelope["repository"]): SourceRepository => ({
  forge: "bitbucket",
  host: forges.bitbucket.host,
  id: numberOfUuid(uuid),
  full_name,
});

/** A change of a repository's settings; of its name among others. */
const RepositoryUpdated = Type.Object({
  changes: Type.Object({ full_name: Type.Object({ old: Type.String() }) }),
  ...envelope,
});

function parseRename({ name, body }: Delivery): ParsedDelivery | null {
  if (name !== "repo:updated" || !checker(RepositoryUpdated).Check(body)) return null;
  const { changes, repository } = body as Static<typeof RepositoryUpdated>;
  return { repository: sourceOf(repository), previousName: changes.full_name.old };
}

/** The first 48 bits of a random UUID, which tell repositories apart as well as a number can. */
function numberOfUuid(uuid: string): number | null {
  const digits = uuid.replace(/[{}-]/g, "");
  return /^[0-9a-f]{32}$/i.test(digits) ? Number.parseInt(digits.slice(0, 12), 16) || null : null;
}
