import { Type } from "@sinclair/typebox";
import { requireToken } from "../auth/authorization.ts";
import { TokenInfo } from "../auth/token.ts";
import { describeToken } from "../auth/whoami.ts";
import { operation } from "./operation.ts";

export const getToken = operation({
  id: "getToken",
  tag: "info",
  summary: "Describe your token",
  description: "The name, scopes, projects, and expiry of the token of this request.",
  scope: "public",
  anyToken: true,
  http: { method: "GET", path: "/token", errors: [401] },
  input: Type.Object({}),
  output: TokenInfo,
  async run({ config }, _, caller) {
    requireToken(caller, config);
    return describeToken(caller);
  },
});
