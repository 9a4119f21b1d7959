/** Share links as their tests use them: a library with an asset, its links, and the browser of a recipient. */
import { expect } from "bun:test";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { CreatedShare, CreatedShares } from "../../../src/library/shares/schema.ts";
import { post } from "../browser/site.ts";
import { must } from "../harness.ts";
import { type Library, pathOf } from "../library.ts";

/** Creates a link with a token. @returns it, and the path of its URL */
export const createShare = (
  library: Library,
  id: string,
  fields: Record<string, unknown> = {},
  token = library.token,
): Promise<CreatedShare & { link: string }> => create(library, `/assets/${id}/shares`, fields, token);

/** Creates a link to the review queue of atlas, or to a set of it. */
export const shareQueue = (
  library: Library,
  fields: Record<string, unknown> = {},
): Promise<CreatedShare & { link: string }> =>
  create(library, "/projects/atlas/shares", { rights: "verdict", ...fields }, library.token);

async function create(library: Library, path: string, fields: Record<string, unknown>, token: string) {
  const json = { recipient: "Ana at Harbor Ltd", ...fields };
  const { status, body } = await library.say<CreatedShares>(path, { json, token });
  expect([status, body.detail]).toEqual([201, undefined]);
  const share = must(body.shares[0]);
  return { ...share, link: pathOf(must(share.url)) };
}

/** Everything of a response that a client can tell apart. */
export const wholeAnswer = async (response: Response) => ({
  status: response.status,
  headers: [...response.headers].toSorted(),
  body: await response.text(),
});

/** The browser of a recipient. */
export interface Guest {
  /** Path of the shared page. */
  path: string;
  cookie: string;
  page(query?: string): Promise<Response>;
  /** The CSRF token of the page. */
  csrf(): Promise<string>;
  /** Posts a form as it is. */
  post(action: string, fields: Record<string, string>): Promise<Response>;
  /** Posts a form of the page, with its CSRF token. */
  send(action: string, fields: Record<string, string>): Promise<Response>;
  /** The signed URLs of files in the page. */
  files(): Promise<string[]>;
}

/** Opens a link as a browser does. */
export async function openLink(
  library: Library,
  link: string,
  { passphrase, address = "198.51.100.7" }: { passphrase?: string; address?: string } = {},
): Promise<Guest> {
  const opened = await post(library, link, passphrase === undefined ? {} : { passphrase }, {}, address);
  expect(opened.status).toBe(303);
  const path = must(opened.headers.get("location"));
  const cookie = must(opened.headers.get("set-cookie")?.split(";")[0]);
  const page = (query = "") => library.ask(`${path}${query}`, { headers: { cookie }, address });
  const csrf = async () => must(/name="csrf" value="([^"]+)"/.exec(await (await page()).text())?.[1]);
  const postForm = (action: string, fields: Record<string, string>) =>
    post(library, `${path}/${action}`, fields, { cookie }, address);
  return {
    ...{ path, cookie, page, csrf, post: postForm },
    send: async (action, fields) => postForm(action, { csrf: await csrf(), ...fields }),
    async files() {
      const html = await (await page()).text();
      return [...html.matchAll(/http:\/\/svc\.test(\/api\/assets\/[^"]+)/g)].map(([, url]) => must(url));
    },
  };
}

/** The form of a verdict. */
export const verdict = (asset: Pick<AssetRow, "sha256">, fields: Record<string, string> = {}) => ({
  ...{ name: "Ana", decision: "approved", sha256: asset.sha256 },
  ...fields,
});

/** A text that browsers show, with its file. */
export const plantText = (library: Library, bytes = "some words", replaces?: string): Promise<AssetRow> =>
  library.plant({ bytes, title: "Map of the harbor" }, replaces);
