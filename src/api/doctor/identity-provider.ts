/** Checks that people can sign in at the identity provider. */
import { describeFailure, openProvider } from "../../core/auth/oidc/provider.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning } from "./finding.ts";

const what = "single sign-on";

export async function checkIdentityProvider({ config }: Pick<Context, "config">): Promise<Finding[]> {
  const { oidc } = config;
  if (!oidc) return [];
  try {
    const provider = await openProvider(oidc);
    const { scopes_supported, code_challenge_methods_supported } = provider.serverMetadata();
    const unknown =
      scopes_supported && oidc.scope.split(" ").filter((one) => !scopes_supported.includes(one));
    if (unknown && unknown.length > 0)
      return [warning(what, `${oidc.label} does not list the scope ${unknown.join(", ")} of SVC_OIDC_SCOPE`)];
    const proof = code_challenge_methods_supported?.includes("S256") ? "" : ", without PKCE";
    return [ok(what, `${oidc.label} answers${proof}`)];
  } catch (error) {
    return [warning(what, `${oidc.label} cannot be used: ${describeFailure(error)}; check SVC_OIDC_ISSUER`)];
  }
}
