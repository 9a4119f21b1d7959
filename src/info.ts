/**
 * What the service says of itself: the info document, the five rules, a task's life, and where everything is.
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Config } from "./config.ts";
import { commit, description, version } from "./version.ts";
import { Choice, Uri } from "./wire.ts";

const Said = (example: string) => Type.String({ examples: [example] });
const numbered = { n: Type.Integer({ minimum: 1, examples: [2] }) };

const tagline = "What happened, what was decided, what was made.";

export const Info = Type.Object(
  {
    name: Said("svc"),
    version: Said(version),
    description: Said(description),
    rules: Type.Array(
      Type.Object({
        ...numbered,
        title: Said("Decide once"),
        body: Said("A decision is recorded with who made it."),
      }),
      {
        description: "The five rules.",
      },
    ),
    links: Type.Record(Type.String(), Uri(), { description: "Every machine-readable surface, by name." }),
    tagline: Type.Optional(Said(tagline)),
    license: Type.Optional(Said("Apache-2.0")),
    free: Type.Optional(Type.Boolean()),
    site: Type.Optional(Uri()),
    commit: Type.Optional(
      Type.String({ description: "The commit this server was built from.", examples: [commit] }),
    ),
    data_mode: Type.Optional(Choice(["mock", "db"])),
    public_read: Type.Optional(Type.Boolean()),
    task_flow: Type.Optional(
      Type.Array(
        Type.Object({
          ...numbered,
          step: Said("Briefed"),
          where: Said("memory"),
          detail: Said("An agent asks what is known."),
        }),
        {
          description: "A task's life.",
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
    "Write it down as it happens",
    "Every step of a task is an event the moment it happens. Events are appended, never edited and never removed, so what you read is what was known then.",
  ],
  [
    "Decide once",
    "A decision is recorded with who made it and where it came from. The next attempt starts from the current decisions instead of arguing them again.",
  ],
  [
    "A person has the last word",
    "Agents propose, people approve or reject. Nothing that an agent made becomes public before somebody has looked at it.",
  ],
  [
    "No is worth a reason",
    "A rejection carries a note, and the note becomes a decision of the project. The same mistake is answered before it is made again.",
  ],
  [
    "Count what it cost",
    "Runs and steps carry their tokens, cost and time. Work that failed is counted like work that shipped.",
  ],
] as const;

const taskFlow = [
  [
    "Asked",
    "issue tracker",
    "Somebody opens an issue in a linked repository; its delivery becomes `issue.opened`.",
  ],
  [
    "Briefed",
    "memory",
    "An agent asks what is known: the project's decisions, preferences, recent failures and the guidance for its model.",
  ],
  [
    "Run",
    "agent",
    "The run reports `run.started`, each step as `step.usage` with tokens and cost, and ends as `run.finished` or `run.failed`.",
  ],
  [
    "Proposed",
    "source host",
    "A pull request is opened, checks run, a preview comes up; what the agent made beside code is uploaded as an asset.",
  ],
  [
    "Reviewed",
    "review desk",
    "A person approves, or rejects with a note. The note becomes a decision, and the task goes back to its agent with it.",
  ],
  [
    "Shipped",
    "source host",
    "The pull request is merged, approved assets are published to a permanent address, the issue is closed.",
  ],
  [
    "Remembered",
    "memory",
    "What happened is folded into the project's memory, and the next brief begins there.",
  ],
] as const;

/** Revisions of MCP that are spoken, the newest first. */
export const protocolVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const;

/** What the MCP server can do, as it says itself and as its card says. Nothing of it is pushed. */
export const capabilities = { tools: { listChanged: false }, resources: {}, prompts: {}, completions: {} };

/** Where things are. A surface is listed here when it exists. */
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
  /** The same, where readers of ARD look for it. */
  ardCatalog: "/.well-known/ard.json",
  skills: "/.well-known/agent-skills/index.json",
  llms: "/llms.txt",
  llmsFull: "/llms-full.txt",
  auth: "/auth.md",
  robots: "/robots.txt",
  sitemap: "/sitemap.xml",
  security: "/.well-known/security.txt",
  webhook: "/api/hooks/github",
  health: "/healthz",
  ready: "/readyz",
  metrics: "/metrics",
} as const;

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

/** The rules and a task's life, to be read. */
export function methodology(config: Config): Methodology {
  const { rules, task_flow = [] } = describeService(config);
  const lines = [
    ...["# How this team works", "", "## Five rules", ""],
    ...rules.map(({ n, title, body }) => `${n}. **${title}.** ${body}`),
    ...["", "## A task's life", ""],
    ...task_flow.map(({ n, step, where, detail }) => `${n}. **${step}** (${where}): ${detail}`),
  ];
  return { text: lines.join("\n") };
}
