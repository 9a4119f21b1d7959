/** The table of commands: name, description, and how to load the module. */
import type { CommandDef } from "citty";
import { commit, description, version } from "../src/core/version.ts";

// biome-ignore lint/suspicious/noExplicitAny: the table holds commands with different arguments
export type Command = CommandDef<any>;

type Entry = [description: string, load: () => Promise<{ default: Command }>];

/** The commands by what they are for, as `svc help all` lists them. */
export const commandGroups: Record<string, Record<string, Entry>> = {
  Start: {
    serve: [
      "Start the server: apply migrations, then serve the API and the website",
      () => import("./commands/service/serve.ts"),
    ],
    demo: [
      "Try svc with a month of demo data in a temporary folder, deleted when it stops",
      () => import("./commands/service/demo.ts"),
    ],
    open: [
      "Print a one-time sign-in link for the website and open it in a browser",
      () => import("./commands/service/open.ts"),
    ],
    connect: [
      "Connect Claude Code, Codex, Gemini CLI and other agents with one command",
      () => import("./commands/agents/connect.ts"),
    ],
    disconnect: [
      "Undo what svc connect wrote to the settings of agents",
      () => import("./commands/agents/disconnect.ts"),
    ],
    login: ["Log in to a server with a token", () => import("./commands/account/login.ts")],
    logout: ["Forget the token of a server", () => import("./commands/account/logout.ts")],
    whoami: [
      "Show the server or database that commands use, and as whom",
      () => import("./commands/account/whoami.ts"),
    ],
  },
  "Follow the work": {
    today: [
      "Show what needs you, and what happened since you last looked",
      () => import("./commands/feed/today.ts"),
    ],
    inbox: [
      "Show what you should act on, mark it as done, or snooze it",
      () => import("./commands/feed/inbox.ts"),
    ],
    feed: [
      "Show the event feed, newest last, and follow new events",
      () => import("./commands/feed/feed.ts"),
    ],
    tasks: ["List tasks with their stage, agents, runs and cost", () => import("./commands/feed/tasks.ts")],
    runs: ["List runs, newest event first", () => import("./commands/feed/runs.ts")],
    top: ["Show runs, spend, reviews and failures, live", () => import("./commands/feed/top.ts")],
    usage: [
      "Report tokens and cost by project, model, lane, actor, task, run, team or person",
      () => import("./commands/feed/usage.ts"),
    ],
    budget: ["Set, list and check budgets", () => import("./commands/feed/budget.ts")],
    email: ["Send digests by email", () => import("./commands/feed/email.ts")],
  },
  "Report work": {
    project: ["Link, list and show projects", () => import("./commands/feed/project.ts")],
    run: ["Run a command and report it, or show a run", () => import("./commands/agents/run.ts")],
    claim: [
      "Say that you work on a task or files, or list who does",
      () => import("./commands/feed/claim.ts"),
    ],
    release: ["End claims before their time", () => import("./commands/feed/release.ts")],
    event: ["Add one event, or import a file of events", () => import("./commands/feed/event.ts")],
    backfill: [
      "Add past sessions of agents from their files on this machine",
      () => import("./commands/agents/backfill.ts"),
    ],
    acp: [
      "Run an agent of the Agent Client Protocol with its brief, and report its sessions",
      () => import("./commands/agents/acp.ts"),
    ],
    hook: ["Report a hook of a coding agent; the agent calls it", () => import("./commands/agents/hook.ts")],
  },
  "Review assets": {
    asset: [
      "Upload, list, show, review, wait for and publish assets",
      () => import("./commands/assets/asset.ts"),
    ],
    share: [
      "Create, list and revoke links to assets for people without a token",
      () => import("./commands/assets/share.ts"),
    ],
    checklist: [
      "Set, list, show and remove what reviewers check",
      () => import("./commands/assets/checklist.ts"),
    ],
    "review-policy": [
      "Set, list and remove who has to approve assets",
      () => import("./commands/assets/review-policy.ts"),
    ],
  },
  Memory: {
    brief: ["Compile the brief for a task", () => import("./commands/memory/brief.ts")],
    rules: [
      "Keep confirmed decisions in AGENTS.md and other files in which agents read rules",
      () => import("./commands/memory/rules.ts"),
    ],
    recall: ["Search the memory of your projects", () => import("./commands/memory/recall.ts")],
    search: ["Search everything: work, memory, and docs", () => import("./commands/memory/search.ts")],
    decide: ["Record a decision for a project", () => import("./commands/memory/decide.ts")],
    decision: ["Check, confirm, drop and retire decisions", () => import("./commands/memory/decision.ts")],
    check: [
      "Check what changed against the decisions of the project",
      () => import("./commands/memory/check.ts"),
    ],
    prefer: ["Set a preference for one project or for all", () => import("./commands/memory/prefer.ts")],
    model: ["Add and list models", () => import("./commands/memory/model.ts")],
    guidance: ["Add a vendor's guidance for a model", () => import("./commands/memory/guidance.ts")],
    consolidate: ["Summarize new events into memory", () => import("./commands/memory/consolidate.ts")],
  },
  "Run a server": {
    token: ["Create, list, rotate and revoke tokens", () => import("./commands/service/token.ts")],
    person: ["Say whose work it is: people and teams", () => import("./commands/service/person.ts")],
    offboard: [
      "End the access of someone who leaves, and hand over what they own",
      () => import("./commands/service/offboard.ts"),
    ],
    erase: ["Erase a person: names, and texts that name them", () => import("./commands/service/erase.ts")],
    redact: [
      "Delete a text that should not have been recorded",
      () => import("./commands/service/redact.ts"),
    ],
    webhook: [
      "Send events to a URL: create, test and replay webhooks",
      () => import("./commands/webhooks/webhook.ts"),
    ],
    doctor: ["Diagnose problems and suggest fixes", () => import("./commands/service/doctor.ts")],
    backup: [
      "Back up the database and all files to a tar file or a bucket",
      () => import("./commands/service/backup.ts"),
    ],
    restore: ["Restore a backup", () => import("./commands/service/restore.ts")],
    export: ["Export the database and all files to a folder", () => import("./commands/service/export.ts")],
    import: ["Import an export into any database and store", () => import("./commands/service/import.ts")],
    audit: [
      "Show the audit log: who changed what, and what was refused",
      () => import("./commands/service/audit.ts"),
    ],
    mcp: ["Run the MCP server on standard input and output", () => import("./commands/service/mcp.ts")],
  },
  "About svc": {
    help: ["Show the help of a command", () => import("./commands/about/help.ts")],
    completion: [
      "Print a completion script for bash, zsh, fish or PowerShell",
      () => import("./commands/about/completion.ts"),
    ],
    version: ["Show the version", () => import("./commands/about/version.ts")],
    licenses: ["Print the licenses of the bundled software", () => import("./commands/service/licenses.ts")],
  },
};

/** The commands of a first week, as `svc --help` lists them. */
export const firstWeek: Record<string, readonly string[]> = {
  "Set up": ["serve", "demo", "open", "project", "token", "connect"],
  "Every day": ["today", "tasks", "asset", "search"],
  "Tell agents": ["brief", "decide"],
};

export const commands: Record<string, Entry> = Object.assign({}, ...Object.values(commandGroups));

export const root: Command = {
  meta: { name: "svc", version: `${version} (${commit})`, description },
  // `svc --help` lists these without loading any command.
  subCommands: Object.fromEntries(
    Object.entries(commands).map(([name, [description]]) => [name, { meta: { name, description } }]),
  ),
};
