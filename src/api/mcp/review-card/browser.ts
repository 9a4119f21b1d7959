/**
 * The script of the review card, which a chat shows in a frame that may connect to nothing: it speaks to the
 * host by messages (MCP Apps, 2026-01-26). The host calls tools with the agent's token, so the card shows an
 * asset, and a person decides on the review desk.
 */

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message?: string };
}

interface Host {
  hostCapabilities?: { openLinks?: unknown; serverResources?: unknown; serverTools?: unknown };
  hostContext?: HostContext;
}

interface HostContext {
  theme?: string;
  styles?: { variables?: Record<string, string> };
}

interface ToolResult {
  structuredContent?: object;
  isError?: boolean;
  content?: { text?: string }[];
}

interface Asset {
  id: string;
  title: string;
  kind: string;
  status: string;
  version: number;
  project: string | null;
  created_by: string;
  reviewed_by: string | null;
  review_note: string | null;
  annotations?: { text: string; state: string }[];
}

const protocolVersion = "2026-01-26";
/** Some hosts never send the result of the call: then the card asks for the asset itself. */
const resultWaitMs = 3_000;

const byId = (id: string) => document.getElementById(id) as HTMLElement;
const site = document.body.dataset.site as string;

let requests = 0;
const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();

const send = (message: Message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function request<T>(method: string, params: Record<string, unknown>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  waiting.set(++requests, { resolve: resolve as (result: unknown) => void, reject });
  send({ id: requests, method, params });
  return promise;
}

let host: Host = {};
let shown: string | null = null;
/** The asset that the call was about, from its arguments. */
let called: string | null = null;

// Before `ui/initialize`: hosts do not repeat what they send.
addEventListener("message", ({ source, data }: MessageEvent) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const message = data as Message;
  if (message.method) receive(message);
  else settle(message);
});

function settle({ id, error, result }: Message): void {
  const call = waiting.get(id as number);
  waiting.delete(id as number);
  if (error) call?.reject(new Error(error.message));
  else call?.resolve(result);
}

function receive({ id, method, params = {} }: Message): void {
  if (method === "ui/notifications/tool-input") called = idIn(params.arguments);
  else if (method === "ui/notifications/tool-result") showResult(params as ToolResult);
  else if (method === "ui/notifications/host-context-changed") applyContext(params as HostContext);
  else if (id !== undefined) send({ id, result: {} });
}

const idIn = (fields: unknown): string | null => {
  const { id, asset_id } = (fields ?? {}) as { id?: unknown; asset_id?: unknown };
  const found = asset_id ?? id;
  return typeof found === "string" ? found : null;
};

/** The result of `svc_asset_get` is the asset; that of `svc_request_review` names it. */
function showResult({ structuredContent, isError, content }: ToolResult): void {
  const asset = structuredContent as Asset | undefined;
  const id = idIn(asset);
  if (isError || !asset || !id) fail(content?.[0]?.text ?? "The call returned no asset.");
  else if (asset.status) show(asset);
  else void load(id);
}

async function load(id: string): Promise<void> {
  try {
    showResult(await request<ToolResult>("tools/call", { name: "svc_asset_get", arguments: { id } }));
  } catch (error) {
    fail((error as Error).message);
  }
}

function fail(text: string): void {
  if (shown === null) byId("title").textContent = text;
}

function show(asset: Asset): void {
  shown = asset.id;
  byId("title").textContent = asset.title;
  const status = byId("status");
  status.textContent = asset.status;
  status.className = asset.status;
  byId("about").textContent = [
    `version ${asset.version}`,
    asset.kind,
    asset.project,
    `by ${asset.created_by}`,
  ]
    .filter(Boolean)
    .join(" · ");
  const note = asset.review_note === null ? "" : `${asset.reviewed_by}: ${asset.review_note}`;
  byId("note").textContent = note;
  byId("note").hidden = note === "";
  const lines = (asset.annotations ?? []).map(({ text, state }) => {
    const line = document.createElement("li");
    line.textContent = state === "open" ? text : `${text} (${state})`;
    return line;
  });
  byId("places").replaceChildren(...lines);
  const desk = byId("desk") as HTMLAnchorElement;
  desk.href = `${site}/assets/${encodeURIComponent(asset.id)}`;
  desk.textContent = asset.status === "pending" ? "Review on the desk" : "Open on the desk";
  desk.hidden = false;
  void showPicture(asset);
}

/** The picture comes as a resource and is shown as a `data:` URL: hosts refuse other origins. */
async function showPicture({ id, title }: Asset): Promise<void> {
  if (!host.hostCapabilities?.serverResources) return;
  const { contents } = await request<{ contents: { mimeType?: string; blob?: string }[] }>("resources/read", {
    uri: `svc://assets/${id}`,
  });
  const found = contents.find(({ mimeType, blob }) => blob && mimeType?.startsWith("image/"));
  if (!found || shown !== id) return;
  const picture = byId("picture") as HTMLImageElement;
  picture.src = `data:${found.mimeType};base64,${found.blob}`;
  picture.alt = title;
  picture.hidden = false;
}

function applyContext({ theme, styles }: HostContext): void {
  if (theme) document.documentElement.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith("--")) document.documentElement.style.setProperty(name, value);
}

byId("desk").addEventListener("click", (event) => {
  if (!host.hostCapabilities?.openLinks) return;
  event.preventDefault();
  void request("ui/open-link", { url: (event.currentTarget as HTMLAnchorElement).href });
});

host = await request<Host>("ui/initialize", {
  appInfo: { name: "svc-review-card", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  protocolVersion,
});
applyContext(host.hostContext ?? {});
send({ method: "ui/notifications/initialized" });
new ResizeObserver(() => {
  const { offsetWidth: width, offsetHeight: height } = document.documentElement;
  send({ method: "ui/notifications/size-changed", params: { width, height } });
}).observe(document.body);
setTimeout(() => {
  if (shown === null && called !== null && host.hostCapabilities?.serverTools) void load(called);
}, resultWaitMs);
