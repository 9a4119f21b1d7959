/** @jsxImportSource preact */
/** The forms that change a token. */
import type { AccessToken } from "../../core/auth/token-requests.ts";
import { CsrfField } from "../layout.tsx";
import type { View } from "../view.ts";
import { tokenPath } from "./tokens.tsx";

export const ChangeForms = ({ view, token }: { view: View; token: AccessToken }) => (
  <section>
    <h2>Whose work it does</h2>
    <form method="post" action={`${tokenPath(token.name)}/owner`} class="filters">
      <CsrfField token={view.visitor.csrf} />
      <label>
        Owner <input name="owner" value={token.owner ?? ""} maxLength={63} placeholder="no person" />
      </label>
      <label>
        Team <input name="team" value={token.team ?? ""} maxLength={63} placeholder="that of the owner" />
      </label>
      <button type="submit">Save owner</button>
    </form>
    {token.scopes.includes("assets:review") && (
      <form method="post" action={`${tokenPath(token.name)}/review-role`} class="filters">
        <CsrfField token={view.visitor.csrf} />
        <label>
          Its reviews count for{" "}
          <input
            name="role"
            value={token.review_role ?? ""}
            maxLength={32}
            placeholder={token.role ?? "no role"}
          />
        </label>
        <button type="submit">Save review role</button>
      </form>
    )}
  </section>
);
