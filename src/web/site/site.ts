/** Answers the requests of the website: pages, forms, and uploads. */

import type { FormPart } from "../../core/lib/http/file-form.ts";
import type { LinkPurpose } from "../../integrations/email/links.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { uploadAsset } from "../../library/operations/assets.ts";
import { submitEmailLink } from "../email/link-pages.tsx";
import type { ActionName, PageName } from "../routes.ts";
import { callOperationWithParts, type View } from "../view.ts";
import { type Admit, formHandlers } from "./form-handlers.ts";
import { respond } from "./page-response.ts";
import { pages } from "./pages.ts";
import { seeOther } from "./see-other.ts";

export { staticFileResponse } from "../static-files.ts";
export { errorPage } from "./page-response.ts";

export const showPage = (name: PageName, view: View, request: Request) =>
  respond(view, request, async () => {
    const { show, parameters } = pages[name];
    const result = await show(view);
    if (typeof result === "string" || result instanceof Response) return result;
    const given = [...new Set(view.url.searchParams.keys())];
    return { ...result, unknownParameters: given.filter((one) => !parameters.includes(one)) };
  });

export const submitForm = (
  name: ActionName,
  view: View,
  request: Request,
  form: Map<string, string>,
  admit: Admit,
) =>
  respond(view, request, async () => {
    const result = await formHandlers[name](view, form, admit);
    return typeof result === "string" ? seeOther(result) : result;
  });

/** A button of a page behind a link in a mail, or a mail client that unsubscribes. */
export const submitLink = (view: View, request: Request, purpose: LinkPurpose) =>
  respond(view, request, () => submitEmailLink(view, purpose));

/** Uploads a file, then redirects to the review page of the new asset. */
export const submitFile = (view: View, request: Request, parts: AsyncIterable<FormPart>) =>
  respond(view, request, async () =>
    seeOther(`/assets/${(await callOperationWithParts<Asset>(view, uploadAsset, parts)).id}`),
  );
