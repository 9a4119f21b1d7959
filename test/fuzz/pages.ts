/** Pages and their forms, requested with a session: any query, any id, any field. */
import fc, { type Arbitrary } from "fast-check";
import { actionNames, pageNames } from "../../src/web/routes.ts";
import type { FuzzedRequest } from "./requests.ts";
import { hostileText, type Known } from "./schema.ts";

const names =
  "project kind actor lane status issue pr limit before after cursor q since until compare with version reviewed next tag sort view page".split(
    " ",
  );

const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed().slice(0, 800)).replace(/^\.{1,2}$/, "%2e");

/** @param session as its cookie is sent, with the token of its forms */
export function anyPage(
  session: { cookie: string; csrf: string; origin: string },
  existing: Known,
): Arbitrary<FuzzedRequest> {
  const right = [
    ...Object.values(existing).flat().map(String),
    "50",
    "pending",
    "run.failed",
    "2026-01-02T03:04:05Z",
    "/assets",
  ];
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: hostileText },
  );
  const at = (paths: string[]) =>
    fc.tuple(fc.constantFrom(...paths), value).map(([path, one]) => path.replace(/:\w+/, () => encoded(one)));
  const pairs = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 });
  const read = fc.tuple(at(Object.keys(pageNames)), pairs, fc.boolean()).map(([path, query, asPage]) => ({
    path: `${path}${query.length ? "?" : ""}${query.map(([name, one]) => `${name}=${encoded(one)}`).join("&")}`,
    method: "GET",
    headers: { cookie: session.cookie, ...(asPage && { accept: "text/html" }) },
  }));
  const forms = Object.keys(actionNames).filter((path) => path.includes(":"));
  const fields = fc.dictionary(fc.constantFrom("decision", "note", "sha256", "next", "by"), value, {
    maxKeys: 4,
  });
  const written = fc.tuple(at(forms), fields).map(([path, filled]) => ({
    ...{
      path,
      method: "POST",
      headers: {
        cookie: session.cookie,
        origin: session.origin,
        "content-type": "application/x-www-form-urlencoded",
      },
    },
    body: new URLSearchParams({ csrf: session.csrf, ...filled }).toString(),
  }));
  return fc.oneof({ weight: 5, arbitrary: read }, { weight: 1, arbitrary: written });
}
