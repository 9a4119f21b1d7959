/** The interactive page of the API with few operations: with all of them, it takes a browser ten seconds. */
import type { Page } from "playwright-core";
import type { OpenapiDocument } from "../http/openapi-answers.ts";

/** An OpenAPI document with these operations and the first of each method, each with its first two responses. */
function withOneOfEachKind(document: OpenapiDocument, ids: string[]): OpenapiDocument {
  const methods = new Set<string>();
  const isShown = (method: string, { operationId }: { operationId: string }) =>
    ids.includes(operationId) || methods.size < methods.add(method).size;
  const paths = Object.entries(document.paths).map(([path, { servers, ...operations }]) => {
    const shown = Object.entries(operations)
      .filter((one) => isShown(...one))
      .map(([method, operation]) => {
        const responses = Object.fromEntries(Object.entries(operation.responses).slice(0, 2));
        return [method, { ...operation, responses }];
      });
    return [path, { servers, ...Object.fromEntries(shown) }];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Lets a page load the OpenAPI document with these operations and the first of each method. */
export async function serveFewOperations(page: Page, ids: string[]): Promise<void> {
  await page.route("**/openapi.json", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withOneOfEachKind(await response.json(), ids) });
  });
}
