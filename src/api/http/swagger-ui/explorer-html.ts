/** The page of Swagger UI as its plugin makes it. The build makes it too, so the executable has only the page. */
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { paths } from "../../../core/info.ts";
import { version } from "../../../core/version.ts";

/** Options that the plugin has no types for: the URL of the document, and no validator badge from a CDN. */
const extraOptions: object = { url: paths.openapi, validatorUrl: null };

export async function explorerHtml(): Promise<string> {
  const plugin = new Elysia().use(
    swagger({
      provider: "swagger-ui",
      path: paths.try,
      theme: `${paths.try}/swagger-ui.css`,
      autoDarkMode: false,
      documentation: {
        info: {
          title: "Try the API · svc",
          description: "Call any operation of the API from your browser.",
          version,
        },
      },
      swaggerOptions: { deepLinking: true, ...extraOptions },
    }),
  );
  return (await plugin.handle(new Request(`http://localhost${paths.try}`))).text();
}
