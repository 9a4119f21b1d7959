/** The layout shared by every page: head, navigation, account menu. */
import type { ComponentChildren, FormHTMLAttributes } from "preact";
import { renderToString } from "preact-render-to-string";
import { isAdmin } from "../core/auth/permissions.ts";
import { publicScopes, rolesWith, type Scope } from "../core/auth/scopes.ts";
import { Cache, perObject } from "../core/lib/cache.ts";
import { kindsWith } from "../feed/kinds.ts";
import { countMax } from "../library/review-queue/items.ts";
import { Brand, Document } from "./document.tsx";
import { countText } from "./format.ts";
import { Keys } from "./keys.tsx";
import { SearchBox } from "./search/search-box.tsx";
import { type ScriptName, staticUrl } from "./static-files.ts";
import { type Markup, type NavigationEntry, navigation, type Page, type View } from "./view.ts";

export function renderPage(view: View, page: Page): string | Markup {
  if (page.body instanceof Uint8Array) return renderCachedLayout(view, page, page.body);
  return renderDocument(view, page);
}

const renderDocument = (view: View, page: Page): string =>
  `<!doctype html>${renderToString(<Layout view={view} page={page} />)}`;

const mainEnd = "</main>";

/** A cached body is wrapped in its layout once per session (`bun run bench page`). */
const layoutsPerBody = perObject(
  (_body: Markup) => new Cache<string, Markup>({ max: 20, bytesMax: 4 * 2 ** 20 }),
);

function renderCachedLayout(view: View, page: Page, body: Markup): Markup {
  const token = csrfToken(view); // unique per session, and a session has one user name
  const key = `${token} ${view.theme} ${page.inboxCount ?? 0} ${JSON.stringify(page.savedViews)}`;
  return layoutsPerBody(body).getOrMake(key, () => insertBody(renderDocument(view, page), body));
}

function insertBody(text: string, body: Markup): Markup {
  const at = text.lastIndexOf(mainEnd);
  return Buffer.concat([Buffer.from(text.slice(0, at)), body, Buffer.from(text.slice(at))]);
}

const Layout = ({ view, page }: { view: View; page: Page }) => (
  <Document
    page={page}
    theme={view.theme}
    head={
      <>
        {page.description && <meta name="description" content={page.description} />}
        <meta name="csrf" content={csrfToken(view)} data-reviewer={whoIs(view)} />
        {page.firstScript && <script src={staticUrl(page.firstScript)} />}
        {followsFeed(view) && <meta name="inbox-kinds" content={kindsWith("inbox").join()} />}
      </>
    }
    scripts={scriptsOf(view, page)}
    bar={<NavigationBar view={view} page={page} />}
  >
    <main id="content" tabIndex={-1}>
      {page.unknownParameters?.length ? <UnknownParameters names={page.unknownParameters} /> : null}
      {page.savedViews?.length ? <SavedViews views={page.savedViews} url={view.url} /> : null}
      {page.body instanceof Uint8Array ? null : page.body}
    </main>
    <Keys />
  </Document>
);

const NavigationBar = ({ view, page }: { view: View; page: Page }) => (
  <>
    <a class="skip" href="#content">
      Skip to content
    </a>
    <header class="bar">
      <div class="bar-in">
        <a class="brand" href="/">
          <Brand />
        </a>
        <nav aria-label="Main">
          {entriesFor(view).map(([name, [href, label]]) => (
            <a key={name} href={href} aria-current={page.navEntry === name ? "page" : undefined}>
              {label}
              {name === "today" && <InboxCount count={page.inboxCount ?? 0} />}
            </a>
          ))}
        </nav>
        <SearchBox url={view.url} />
        <Account view={view} />
      </div>
    </header>
  </>
);

/** Those that lead somewhere for the visitor. Visitors without a session see all, and sign in on the way. */
export const entriesFor = (view: View): [name: string, entry: NavigationEntry][] =>
  Object.entries<NavigationEntry>(navigation).filter(
    ([, [, , ...anyOf]]) =>
      !view.visitor.signedIn || anyOf.length === 0 || anyOf.some((scope) => hasScope(view, scope)),
  );

/** Whether the page of a visitor follows what happens in the feed. */
const followsFeed = (view: View): boolean => view.visitor.signedIn && hasScope(view, "feed:read");

const scriptsOf = (view: View, { islands = [] }: Page): ScriptName[] => [
  ...(["keys.js", "search.js"] as const),
  ...(followsFeed(view) ? (["notify.js"] as const) : []),
  ...islands,
];

/** How much needs the visitor. Scripts update it; its width is fixed, so that no digit moves the entries. */
const InboxCount = ({ count }: { count: number }) => (
  <span class="inbox-count" id="inbox-count" data-live data-count={count} data-count-max={countMax}>
    {count > 0 && countText(count)}
  </span>
);

interface SavedViewsProps {
  views: NonNullable<Page["savedViews"]>;
  url: URL;
}

/** The filters of the list that the visitor gave names. */
const SavedViews = ({ views, url }: SavedViewsProps) => (
  <nav class="saved-views" aria-label="Saved views">
    {views.map(({ path, name, query }) => (
      <a
        key={name}
        class="chip"
        href={query ? `${path}?${query}` : path}
        aria-current={url.search.slice(1) === query ? "true" : undefined}
      >
        <bdi>{name}</bdi>
      </a>
    ))}
    <a class="soft" href={`/views?of=${encodeURIComponent(url.pathname + url.search)}`}>
      Edit
    </a>
  </nav>
);

/** Most likely a typo in a filter, without which the page shows more than was asked for. */
const UnknownParameters = ({ names }: { names: string[] }) => (
  <p class="notice" role="status">
    This page ignores {names.length === 1 ? "an unknown query parameter" : "unknown query parameters"}:{" "}
    {names.map((name, at) => (
      <span key={name}>
        {at > 0 && ", "}
        <code>{name}</code>
      </span>
    ))}
    . Check the URL.
  </p>
);

function Account({ view }: { view: View }) {
  const { visitor, ctx, url } = view;
  if (ctx.config.mock) return <span class="account chip">Demo data</span>;
  if (!visitor.signedIn) {
    // Not back to a page of the sign-in itself, whose URL may hold what an identity provider sent.
    const next = url.pathname.startsWith("/sign-")
      ? ""
      : `?next=${encodeURIComponent(url.pathname + url.search)}`;
    return (
      <a class="account" href={`/sign-in${next}`}>
        Sign in
      </a>
    );
  }
  return (
    <form class="account" method="post" action="/sign-out">
      <CsrfField token={visitor.csrf} />
      <a href="/settings">Settings</a>
      <span class="who">{whoIs(view)}</span>
      <button class="plain" type="submit" data-command="Sign out">
        Sign out
      </button>
    </form>
  );
}

/** The name of the visitor, as reviews record it. */
const whoIs = ({ visitor: { signedIn, caller } }: View): string | undefined =>
  signedIn ? caller.name?.replace(/^human:/, "") : undefined;

/** The hidden CSRF field that ties a form to the session. */
export const CsrfField = ({ token }: { token: string | null }) => (
  <input type="hidden" name="csrf" value={token ?? ""} />
);

type PostFormProps = FormHTMLAttributes<HTMLFormElement> & { view: View; action: string };

/** A form that changes something, with the token of the session. */
export const PostForm = ({ view, children, ...attributes }: PostFormProps) => (
  <form {...attributes} method="post">
    <CsrfField token={view.visitor.csrf} />
    {children}
  </form>
);

/** The button of a form in a line of its own. */
export const Submit = ({ text, isPrimary = false }: { text: string; isPrimary?: boolean }) => (
  <p class="buttons">
    <button type="submit" class={isPrimary ? "primary" : undefined}>
      {text}
    </button>
  </p>
);

/** The CSRF token that scripts send; empty without a session, so that anonymous visitors share one page. */
const csrfToken = ({ visitor: { signedIn, csrf } }: View): string => (signedIn && csrf) || "";

/** Whether the visitor has a scope. With public read, everyone has the public scopes. */
export const hasScope = ({ visitor: { caller }, ctx: { config } }: View, scope: Scope): boolean =>
  caller.scopes.has(scope) || (config.publicRead && publicScopes.has(scope));

/** Whether to suggest what sets up svc: to admins, and to visitors who may sign in as one. The demo is read-only. */
export const maySetUp = ({ visitor: { signedIn, caller }, ctx }: View): boolean =>
  !ctx.config.mock && (!signedIn || isAdmin(caller));

/** Shown in place of a control that the visitor lacks the scope for; says how to get it. */
export function MissingScope({
  view: { visitor, ctx, url },
  scope,
  to,
}: {
  view: View;
  scope: Scope;
  to: string;
}) {
  if (ctx.config.mock) return <p class="soft">The demo is read-only, so you can't {to} here.</p>;
  if (!visitor.signedIn)
    return (
      <p class="soft">
        To {to}, <a href={`/sign-in?next=${encodeURIComponent(url.pathname + url.search)}`}>sign in</a> with a
        token that has the <code>{scope}</code> scope.
      </p>
    );
  return (
    <p class="soft">
      To {to}, you need the <code>{scope}</code> scope. Your token, {visitor.caller.name}, doesn't have it.
      Ask an admin for a token with {rolesWith(scope)}.
    </p>
  );
}

/** Whether the page follows new events. Without scripts it does not, and a style hides this. */
export const LiveStatus = () => (
  <p class="live" id="live" role="status">
    <span class="dot" /> <span id="live-text">Connecting…</span>
  </p>
);

/** An empty state: a title, and what to do next. */
export const EmptyState = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

interface SelectProps {
  name: string;
  label: string;
  value: string | undefined;
  options: readonly string[];
  /** Whether there is an "All" option that sets no filter. */
  hasAll?: boolean;
  /** What people read for an option. */
  nameOf?(option: string): string;
}

export const Select = ({ name, label, value, options, hasAll = true, nameOf }: SelectProps) => (
  <label>
    {label}{" "}
    <select name={name}>
      {hasAll && <option value="">All</option>}
      {options.map((option) => (
        <option key={option} value={option} selected={option === value}>
          {nameOf?.(option) ?? option}
        </option>
      ))}
    </select>
  </label>
);
