/** The frame of the settings: which sections a visitor has, and the page of one. */
import type { ComponentChildren } from "preact";
import { authorize } from "../../core/auth/authorization.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import type { Scope } from "../../core/auth/scopes.ts";
import { forbidden, Problem } from "../../core/problem.ts";
import { hasScope } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import type { pageNames } from "../routes.ts";
import { orRefusal, type Page, type View } from "../view.ts";

interface Section {
  path: keyof typeof pageNames;
  label: string;
  for: "everyone" | "admin" | "webhooks";
}

const sections = {
  you: { path: "/settings", label: "You", for: "everyone" },
  projects: { path: "/settings/projects", label: "Projects", for: "admin" },
  tokens: { path: "/settings/tokens", label: "Tokens", for: "admin" },
  offboard: { path: "/settings/offboard", label: "Offboard", for: "admin" },
  takeBack: { path: "/removals", label: "Take back", for: "admin" },
  webhooks: { path: "/settings/webhooks", label: "Webhooks", for: "webhooks" },
  email: { path: "/settings/email", label: "Email", for: "webhooks" },
  audit: { path: "/settings/audit", label: "Audit log", for: "admin" },
  deployment: { path: "/settings/deployment", label: "Deployment", for: "admin" },
} as const satisfies Record<string, Section>;

export type SectionName = keyof typeof sections;

function isOpen(view: View, section: Section): boolean {
  const { visitor } = view;
  if (section.for === "everyone") return true;
  if (!visitor.signedIn) return false;
  return section.for === "admin" ? isAdmin(visitor.caller) : hasScope(view, "webhooks:write");
}

/** @throws {Problem} 401 or 403 unless the visitor is an admin */
export function requireAdminVisitor({ ctx, visitor }: View): void {
  if (isAdmin(visitor.caller)) return;
  if (ctx.config.mock) throw forbidden("The demo data has no settings.");
  if (!visitor.signedIn) throw new Problem(401, "Sign in as an admin.");
  throw forbidden(
    "These settings are for admins. Sign in with svc open, or with a token that has the role admin.",
  );
}

/** @throws {Problem} 401 or 403 without the scope, also where a page would show less */
export function requireScope(view: View, scope: Scope | "public"): void {
  authorize(view.visitor.caller, scope, view.ctx.config);
}

/** What a form did, or why it was refused. */
export interface Outcome {
  text: ComponentChildren;
  isGood: boolean;
}

interface FrameProps {
  title?: string;
  /** Beside the title. */
  beside?: ComponentChildren;
  outcome?: Outcome | undefined;
  children: ComponentChildren;
}

/** A page of the settings. @param name of the section that it belongs to */
export function settingsFrame(
  view: View,
  name: SectionName,
  { title = sections[name].label, beside, outcome, children }: FrameProps,
): Page {
  const shown = Object.entries(sections).filter(([, section]) => isOpen(view, section));
  const isSection = view.url.pathname === sections[name].path;
  const body = (
    <div class="settings-page">
      {shown.length > 1 && (
        <nav class="sections" aria-label="Settings">
          {shown.map(([key, { path, label }]) => (
            <a key={key} id={key} href={path} aria-current={current(key === name, isSection)}>
              {label}
            </a>
          ))}
        </nav>
      )}
      <div class="settings">
        <div class="head">
          <h1>{name === "you" ? "Settings" : title}</h1>
          {beside}
        </div>
        <Notice {...outcome} />
        {children}
      </div>
    </div>
  );
  const isPlain = title === sections[name].label && name !== "you";
  return {
    title: name === "you" ? "Settings" : isPlain ? `${title} · Settings` : title,
    navEntry: null,
    body,
    islands: ["copy.js"],
  };
}

/** A page below a section is part of it. */
const current = (isOwn: boolean, isSection: boolean) => (isOwn ? (isSection ? "page" : "true") : undefined);

/** The page again with why a form was refused, if that is about what was typed. */
export const orRefused = (
  work: () => Promise<string | Page>,
  page: (outcome: Outcome) => Promise<Page>,
): Promise<string | Page> =>
  orRefusal([400, 404, 409, 501, 503], work, (text) => page({ text, isGood: false }));
