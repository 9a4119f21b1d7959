/** The page that a visitor gets instead of a problem document. */
import { allScopes } from "../core/auth/scopes.ts";
import type { Problem, Status } from "../core/problem.ts";
import { hasScope } from "./layout.tsx";
import { signInPage } from "./sign-in/sign-in-page.tsx";
import type { Page, View } from "./view.ts";

const headings: Partial<Record<Status, string>> = {
  403: "Access denied",
  404: "Page not found",
  409: "This asset was already changed",
  429: "Too many attempts",
  503: "The service is temporarily unavailable",
};

/** Where an error page leads beside the navigation: the first that the visitor may see. */
const ways = [
  ["/", "Go to Today", "feed:read"],
  ["/assets", "Go to Assets", "assets:read"],
  ["/memory", "Go to Memory", "memory:read"],
] as const;

/** The error page. A 401 is the sign-in page; a 403 lists the scopes of the visitor's token. */
export async function problemPage(view: View, { status, detail }: Problem): Promise<Page> {
  if (status === 401) return signInPage(view, null, 401);
  const { caller, signedIn } = view.visitor;
  const way = ways.find(([, , scope]) => hasScope(view, scope));
  const body = (
    <div class="narrow">
      <h1>{headings[status] ?? "Something went wrong"}</h1>
      <p class="notice">{detail}</p>
      {status === 403 && signedIn && caller.scopes.size < allScopes.length && (
        <p>
          You are signed in with the token <code>{caller.name}</code>
          {caller.scopes.size > 0 && (
            <>
              , which has the {caller.scopes.size === 1 ? "scope" : "scopes"}{" "}
              <code>{[...caller.scopes].join(", ")}</code>
            </>
          )}
          .
        </p>
      )}
      {way && (
        <p>
          <a class="button" href={way[0]}>
            {way[1]}
          </a>
        </p>
      )}
    </div>
  );
  return { title: headings[status] ?? "Error", navEntry: null, body, status };
}
