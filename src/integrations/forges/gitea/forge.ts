/** Gitea, and Forgejo, which began as a copy of it: it names headers after both, or after itself alone. */
import { forges } from "../../../core/forges/schema.ts";
import { actorNamed, hostOfUrl, parseMapped } from "../../incoming-webhooks/mapping.ts";
import { jsonOrForm } from "../../incoming-webhooks/sender.ts";
import { isHexHmac } from "../../incoming-webhooks/signatures.ts";
import { type Forge, type ForgeIssues, htmlMark, type TaskPlace } from "../forge.ts";
import { type Envelope, eventMappings } from "./events.ts";
import page from "./page.md" with { type: "text" };

/** The users that workflows act as. */
const botName = /^(gitea|forgejo)-actions$|\[bot\]$/;

const pathOf = ({ repo, number }: TaskPlace): string => `/repos/${repo}/issues/${number}`;

interface Issue {
  state?: string;
  pull_request?: { merged?: boolean } | null;
}

/** Issues and pull requests in the API of Gitea and Forgejo, which treats a pull request as an issue. */
const issues: ForgeIssues = {
  headers: (token) => ({ authorization: `token ${token}` }),
  mark: htmlMark,
  /** The list of an issue's comments has no pages. */
  async listComments(call, task) {
    const comments = (await call("GET", `${pathOf(task)}/comments`)) as { body?: string }[];
    return { bodies: comments.map(({ body }) => body), isLast: true };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/comments`, { body }),
  async reopen(call, task) {
    const { state, pull_request } = (await call("GET", pathOf(task))) as Issue;
    if (state === "closed" && !pull_request?.merged) await call("PATCH", pathOf(task), { state: "open" });
  },
};

/** Gogs is what Gitea began as a copy of. */
const families = ["Gitea", "Forgejo", "Gogs"];

/** A header of the first family that has one: `X-Gitea-Event`, `X-Forgejo-Event`. */
const headerOf = (headers: Headers, name: string): string | null =>
  families.map((family) => headers.get(name.replace("Gitea", family))).find(Boolean) ?? null;

const proof = "X-Gitea-Signature";
const event = "X-Gitea-Event";

export const gitea: Forge = {
  page,
  label: "Gitea",
  docs: "/docs/forges#gitea",
  media: jsonOrForm,
  proof,
  headers: { event, id: "X-Gitea-Delivery" },
  headerOf,
  eventExample: "issues",
  // Unlike GitHub, they sign the JSON also when they send it in a form. Without a secret the header is empty.
  isAuthentic: ({ headers, json }, secret) => isHexHmac(headerOf(headers, proof), json(), secret),
  misdirected: (headers) =>
    headerOf(headers, event) === null
      ? "This webhook has neither an X-Gitea-Event nor an X-Forgejo-Event header. Is it of Gitea or Forgejo?"
      : null,
  parse: (delivery) =>
    parseMapped<Envelope>(delivery, {
      mappings: eventMappings,
      source: event,
      repositoryOf: ({ repository: { id, full_name, html_url } }) => ({
        forge: "gitea",
        host: hostOfUrl(html_url, forges.gitea.host),
        id,
        full_name,
      }),
      actorOf: ({ sender: { login } }) => actorNamed(botName.test(login) ? "bot" : "human", login),
    }),
  issues,
};
