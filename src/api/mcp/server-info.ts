/** What the MCP server says of itself in its handshake. `svc mcp` loads it first, so it imports only small files. */
import { dataTagRule } from "../../core/lib/strings/untrusted-text.ts";
import { description, version } from "../../core/version.ts";

export const serverInfo = { name: "svc", title: "svc", version };

export const instructions = [
  description,
  "Before a task: svc_brief with the project and what you intend to do, svc_guidance for your model, " +
    "svc_recall for questions that may have been answered before. While you work: svc_decide to " +
    "record what the next attempt needs to know, svc_report_run to report your run. What you upload or " +
    "decide without a run_id belongs to your running run, which is your session if hooks report it. " +
    "To upload results other than code: svc_asset_request_upload, then svc_asset_finalize, " +
    "svc_request_review, and svc_wait_for_review.",
  "A call that lacks a scope returns an error that names the scope.",
  dataTagRule,
].join(" ");

/** Supported revisions of MCP, newest first. */
export const protocolVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const;

/**
 * Capabilities of the MCP server, for its handshake and its server card. Transports that can send
 * notifications add subscriptions to resources.
 */
export const capabilities = {
  tools: { listChanged: false },
  resources: {},
  prompts: {},
  completions: {},
  // Hosts show the review card only if the server says that it has such cards (SEP-1865).
  extensions: {
    "io.modelcontextprotocol/ui": {},
    "io.modelcontextprotocol/skills": {},
    "io.modelcontextprotocol/tasks": {},
  },
};

/** The capabilities of a transport. @param takesSubscriptions it can send notifications of changed resources */
export const capabilitiesWith = (takesSubscriptions: boolean) => ({
  ...capabilities,
  resources: takesSubscriptions ? { subscribe: true } : {},
});
