/** @jsxImportSource preact */
/** The site: a page for an address, an answer for a form, and a page for what went wrong. */

import type { Asset } from "../assets/schema.ts";
import type { FormPart } from "../assets/upload-form.ts";
import { actionOf } from "../audit/action.ts";
import type { Caller } from "../auth/caller.ts";
import { signIn, signOut } from "../auth/session.ts";
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import { gzipFor } from "../lib/compression.ts";
import { uploadAsset } from "../operations/assets.ts";
import { Problem, type Status } from "../problem.ts";
import { assetsPage } from "./asset-list.tsx";
import { deskPage } from "./desk/desk.tsx";
import { reviewForm } from "./desk/review-form.ts";
import { publishForm } from "./desk/review-form.tsx";
import { docsPage } from "./docs/docs.tsx";
import { feedPage, feedRows } from "./feed.tsx";
import { maySay, renderPage } from "./layout.tsx";
import { methodologyPage } from "./methodology.tsx";
import { projectPage } from "./project.tsx";
import { projectsPage } from "./projects.tsx";
import type { ActionName, PageName } from "./routes.ts";
import { localPath, signInPage } from "./sign-in.tsx";
import { assetResponse } from "./static-files.ts";
import { designPage } from "./style-guide.tsx";
import { usageCsv } from "./usage.tsx";
import { askWithParts, type Markup, type Page, type View } from "./view.ts";

/** A page, a part of one as markup, or an answer that is neither. */
type Shown = Page | string | Response;

const pages: Record<PageName, (view: View) => Shown | Promise<Shown>> = {
  feed: feedPage,
  feedRows,
  projects: projectsPage,
  project: projectPage,
  usageCsv,
  assets: assetsPage,
  asset: (view) => deskPage(view),
  methodology: methodologyPage,
  docs: docsPage,
  design: designPage,
  signIn: (view) => signInPage(view, null),
};

type Admit = (isValid: boolean) => Promise<void>;

const actions: Record<
  ActionName,
  (view: View, form: Map<string, string>, admit: Admit) => Promise<Page | Response>
> = {
  async signIn(view, form, admit) {
    const { ctx, visitor } = view;
    const signed = await signIn(ctx, form.get("token")?.trim() ?? "", {
      before: visitor.caller.session,
      admit,
    });
    if (!signed) {
      const why = "This token is not valid. It may have been revoked or have expired.";
      ctx.audit.recordRefusal(actionOf(visitor.caller, "signIn"), new Problem(401, why));
      return signInPage(view, why, 401);
    }
    ctx.audit.recordAction(inSession(signed.caller, "signIn"));
    return seeOther(localPath(view.url.searchParams.get("next")), { "set-cookie": signed.cookie });
  },
  async review(view, form) {
    const next = await reviewForm(view, form);
    return typeof next === "string" ? seeOther(next) : next;
  },
  publish: async (view) => seeOther(await publishForm(view)),
  async signOut({ ctx, visitor }) {
    if (visitor.signedIn) ctx.audit.recordAction(inSession(visitor.caller, "signOut"));
    return seeOther("/", { "set-cookie": await signOut(ctx, visitor.caller) });
  },
};

/** Who was let in needs no address. */
const inSession = (caller: Caller, what: string) => actionOf({ ...caller, source: { via: "session" } }, what);

const seeOther = (location: string, headers: Record<string, string> = {}) =>
  new Response(null, { status: 303, headers: { ...headers, location, "cache-control": "no-store" } });

export const showPage = (name: PageName, view: View, request: Request) =>
  shown(view, request, () => pages[name](view));

export const takeForm = (
  name: ActionName,
  view: View,
  request: Request,
  form: Map<string, string>,
  admit: Admit,
) => shown(view, request, () => actions[name](view, form, admit));

/** What was uploaded is on the desk next. */
export const takeFile = (view: View, request: Request, parts: AsyncIterable<FormPart>) =>
  shown(view, request, async () =>
    seeOther(`/assets/${(await askWithParts<Asset>(view, uploadAsset, parts)).id}`),
  );

export { assetResponse };

async function shown(view: View, request: Request, work: () => Shown | Promise<Shown>): Promise<Response> {
  try {
    const made = await work();
    if (made instanceof Response) return made;
    return typeof made === "string" ? html(view, request, made) : pageResponse(view, request, made);
  } catch (error) {
    return failedPage(view, request, error);
  }
}

/** A problem, told by a page; what is none is thrown on. */
export function failedPage(view: View, request: Request, error: unknown): Response {
  if (!(error instanceof Problem)) throw error;
  const response = pageResponse(view, request, problemPage(view, error));
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value);
  return response;
}

function pageResponse(view: View, request: Request, page: Page): Response {
  const plain = page.markdown !== undefined && prefersMarkdown(request.headers.get("accept"));
  const response = plain
    ? new Response(page.markdown?.text, {
        headers: { "content-type": "text/markdown; charset=utf-8", "x-content-type-options": "nosniff" },
      })
    : html(view, request, renderPage(view, page), page);
  if (page.markdown) {
    response.headers.append("vary", "Accept");
    response.headers.append("link", `<${page.markdown.path}>; rel="alternate"; type="text/markdown"`);
  }
  return response;
}

/** Only who names it, and likes it no less than HTML. */
function prefersMarkdown(accept: string | null): boolean {
  const liking = (type: string): number => {
    const said = accept?.split(",").find((one) => one.trim().split(";", 1)[0]?.trim().toLowerCase() === type);
    return said ? Number(/;\s*q=([\d.]+)/i.exec(said)?.[1] ?? 1) : 0;
  };
  const plain = liking("text/markdown");
  return plain > 0 && plain >= liking("text/html");
}

const headings: Partial<Record<Status, string>> = {
  403: "Not allowed",
  404: "Nothing is here",
  409: "Somebody was faster",
  429: "Too many attempts",
  503: "The service does not answer just now",
};

/** What leads on, and the scope that it asks for. */
const ways = [
  ["/", "Feed", "feed:read"],
  ["/projects", "Projects", "feed:read"],
  ["/assets", "Assets", "assets:read"],
  ["/methodology", "Method", null],
] as const;

/** What a scope lacks is explained; without a session the answer is the way to one. */
export function problemPage(view: View, { status, detail }: Problem): Page {
  if (status === 401) return signInPage(view, null, 401);
  const { caller, signedIn } = view.visitor;
  const body = (
    <div class="narrow">
      <h1>{headings[status] ?? "This did not work"}</h1>
      <p class="notice">{detail}</p>
      {status === 403 && signedIn && (
        <p>
          You are signed in with the token <code>{caller.name}</code>
          {caller.scopes.size > 0 && (
            <>
              , which has <code>{[...caller.scopes].join(", ")}</code>
            </>
          )}
          . The operator mints others.
        </p>
      )}
      <p class="buttons">
        {ways
          .filter(([, , scope]) => scope === null || maySay(view, scope))
          .map(([href, name]) => (
            <a key={href} class="button" href={href}>
              {name}
            </a>
          ))}
      </p>
    </div>
  );
  return { title: headings[status] ?? "Not shown", place: null, body, status };
}

/** What a machine looks for on a home page (RFC 8288). */
const discoveryLinks = [
  [paths.apiCatalog, "api-catalog", "application/linkset+json"],
  [paths.openapi, "service-desc", "application/json"],
  [paths.docs, "service-doc", "text/html"],
  [paths.llms, "describedby", "text/plain"],
  [paths.aiCatalog, "ai-catalog", "application/ai-catalog+json"],
]
  .map(([path, relation, type]) => `<${path}>; rel="${relation}"; type="${type}"`)
  .join(", ");

function html(
  view: View,
  request: Request,
  text: string | Markup,
  { status = 200, asks = [], cookie }: Partial<Page> = {},
): Response {
  const { body, encoding } = text.length > 1024 ? gzipFor(request, text) : { body: text, encoding: {} };
  return new Response(body, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(view.ctx.config, asks),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      vary: "Accept-Encoding, Cookie",
      ...(view.url.pathname === "/" && { link: discoveryLinks }),
      ...(cookie && { "set-cookie": cookie }),
      ...encoding,
    },
  });
}

/**
 * No inline script, no other host: what we embed is on the site, what was uploaded on the content's origin,
 * which may be the site.
 */
function policyOf({ siteUrl, contentUrl }: Config, asks: string[]): string {
  const named = (origin: string) => (origin === siteUrl ? "'self'" : origin);
  const listed = (...sources: string[]) => [...new Set(sources)].join(" ");
  const content = named(contentUrl);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${listed("'self'", ...asks.map(named))}`,
    "worker-src 'self'",
    `img-src ${listed("'self'", content, "data:")}`,
    `media-src ${content}`,
    `frame-src ${content}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
