/**
 * How the service describes itself: the info document, the five rules, the task flow, and its paths.
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Config } from "./config.ts";
import { commit, description, version } from "./version.ts";
import { Choice, Uri } from "./wire.ts";

const Text = (example: string) => Type.String({ examples: [example] });
const numbered = { n: Type.Integer({ minimum: 1, examples: [2] }) };

const tagline = "See what your agents did, decided and made.";

export const Info = Type.Object(
  {
    name: Text("svc"),
    version: Text(version),
    description: Text(description),
    rules: Type.Array(
      Type.Object({
        ...numbered,
        title: Text("Decide once"),
        body: Text("Every decision records who made it."),
      }),
      {
        description: "The five rules.",
      },
    ),
    links: Type.Record(Type.String(), Uri(), {
      description: "URLs of the API and of machine-readable documents, by name.",
    }),
    tagline: Type.Optional(Text(tagline)),
    license: Type.Optional(Text("Apache-2.0")),
    free: Type.Optional(Type.Boolean()),
    site: Type.Optional(Uri()),
    commit: Type.Optional(
      Type.String({ description: "Git commit this server was built from.", examples: [commit] }),
    ),
    data_mode: Type.Optional(Choice(["mock", "db"])),
    public_read: Type.Optional(Type.Boolean()),
    task_flow: Type.Optional(
      Type.Array(
        Type.Object({
          ...numbered,
          step: Text("Briefed"),
          where: Text("memory"),
          detail: Text("An agent requests a brief."),
        }),
        {
          description: "The task flow.",
        },
      ),
    ),
  },
  { $id: "Info" },
);
export type Info = Static<typeof Info>;

export const Methodology = Type.Object(
  { text: Type.String({ description: "Markdown." }) },
  { $id: "Methodology" },
);
export type Methodology = Static<typeof Methodology>;

const rules = [
  [
    "Record work as it happens",
    "Every step of a task is recorded as an event the moment it happens. Events are never edited or " +
      "removed, so the feed shows what was known at the time.",
  ],
  [
    "Decide once",
    "Every decision records who made it and where it came from. New work starts from the current " +
      "decisions instead of reopening them.",
  ],
  [
    "People have the final say",
    "Agents propose; people approve or reject. Nothing an agent makes becomes public before a person " +
      "has reviewed it.",
  ],
  [
    "Explain every rejection",
    "Every rejection says what to change, in a note, annotations, or a checklist, and becomes a decision " +
      "of the project. The next attempt reads it before it can repeat the mistake.",
  ],
  [
    "Track the cost",
    "Runs and steps report their tokens, cost and duration. Failed work counts the same as work that " +
      "shipped.",
  ],
] as const;

const taskFlow = [
  [
    "Requested",
    "GitHub",
    "A person opens an issue in a linked repository. The GitHub webhook adds it to the feed as " +
      "`issue.opened`.",
  ],
  [
    "Briefed",
    "memory",
    "An agent requests a brief: the project's decisions, preferences and recent failures, and the " +
      "guidance for its model.",
  ],
  [
    "Run",
    "agent",
    "The agent reports `run.started`, each step as `step.usage` with tokens and cost, and finally " +
      "`run.finished` or `run.failed`.",
  ],
  [
    "Proposed",
    "GitHub",
    "The agent opens a pull request; checks run and a preview is deployed. Results other than code " +
      "are uploaded as assets.",
  ],
  [
    "Reviewed",
    "review page",
    "A person approves, or rejects with a note. The note becomes a decision, and the agent tries " +
      "again with it.",
  ],
  [
    "Shipped",
    "GitHub",
    "The pull request is merged, approved assets are published at permanent URLs, and the issue is closed.",
  ],
  [
    "Remembered",
    "memory",
    "The task's events are summarized into the project's memory, where the next brief starts.",
  ],
] as const;

/** Paths of the API, the documents and the endpoints. */
export const paths = {
  api: "/api/v1",
  openapi: "/openapi.json",
  handbook: "/docs",
  docs: "/docs/api",
  try: "/docs/api/try",
  errors: "/docs/api#errors",
  versioning: "/docs/versioning",
  protectedResource: "/.well-known/oauth-protected-resource",
  protectedResourceMcp: "/.well-known/oauth-protected-resource/mcp",
  mcp: "/mcp",
  mcpCard: "/mcp/server-card",
  serverCard: "/.well-known/mcp/server-card.json",
  serverJson: "/server.json",
  apiCatalog: "/.well-known/api-catalog",
  aiCatalog: "/.well-known/ai-catalog.json",
  /** The same document, at the path that ARD readers request. */
  ardCatalog: "/.well-known/ard.json",
  skills: "/.well-known/agent-skills/index.json",
  llms: "/llms.txt",
  llmsFull: "/llms-full.txt",
  auth: "/auth.md",
  robots: "/robots.txt",
  sitemap: "/sitemap.xml",
  security: "/.well-known/security.txt",
  hooks: "/api/hooks",
  /** For hooks of agents on machines without svc. */
  hookScript: "/connect/svc-hook.sh",
  marketplace: "/connect/claude-code/marketplace.json",
  pluginArchive: "/connect/claude-code/svc.zip",
  geminiArchive: "/connect/gemini-cli/svc.zip",
  codexArchive: "/connect/codex/svc.zip",
  openCodePlugin: "/connect/opencode/svc.js",
  agentPluginArchive: "/connect/agent-plugin/svc.zip",
  /** OTLP over HTTP; senders append `/v1/logs`, `/v1/traces` and `/v1/metrics`. */
  otlp: "/api/otlp",
  /** Rows of LiteLLM's callback `generic_api`. */
  litellm: "/api/litellm",
  /** The base of Langfuse's API, as its SDKs append it to their URL. */
  langfuse: "/api/public",
  health: "/healthz",
  ready: "/readyz",
  metrics: "/metrics",
} as const;

/** The document of `GET /info`. */
export function describeService(config: Config): Info {
  const at = (path: string) => config.siteUrl + path;
  return {
    name: "svc",
    version,
    description,
    tagline,
    license: "Apache-2.0",
    free: true,
    site: config.siteUrl,
    commit,
    data_mode: config.mock ? "mock" : "db",
    public_read: config.publicRead,
    rules: rules.map(([title, body], index) => ({ n: index + 1, title, body })),
    task_flow: taskFlow.map(([step, where, detail], index) => ({ n: index + 1, step, where, detail })),
    links: {
      self: at(`${paths.api}/info`),
      feed: at(`${paths.api}/feed`),
      feed_stream: at(`${paths.api}/feed/stream`),
      projects: at(`${paths.api}/projects`),
      openapi: at(paths.openapi),
      handbook: at(paths.handbook),
      docs: at(paths.docs),
      errors: at(paths.errors),
      oauth_protected_resource: at(paths.protectedResource),
      oauth_protected_resource_mcp: at(paths.protectedResourceMcp),
      mcp: at(paths.mcp),
      server_card: at(paths.serverCard),
      server_json: at(paths.serverJson),
      api_catalog: at(paths.apiCatalog),
      ai_catalog: at(paths.aiCatalog),
      agent_skills: at(paths.skills),
      llms: at(paths.llms),
      llms_full: at(paths.llmsFull),
      auth: at(paths.auth),
      security: at(paths.security),
      health: at(paths.health),
    },
  };
}

/** Returns the rules and the task flow as Markdown. */
export function methodology(config: Config): Methodology {
  const { rules, task_flow = [] } = describeService(config);
  const lines = [
    ...["# How this team works", "", "## Five rules", ""],
    ...rules.map(({ n, title, body }) => `${n}. **${title}.** ${body}`),
    ...["", "## Task flow", ""],
    ...task_flow.map(({ n, step, where, detail }) => `${n}. **${step}** (${where}): ${detail}`),
  ];
  return { text: lines.join("\n") };
}
