/** The page of Swagger UI, whose scripts are files of their own but for the one that starts it. */
import { paths } from "../../../core/info.ts";

const settings = { url: paths.openapi, dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null };

export const startScript = `
  window.onload = () => { window.ui = SwaggerUIBundle(${JSON.stringify(settings)}); };
  `;

export const explorerHtml = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <title>Try the API · svc</title>
  <meta name="description" content="Call any operation of the API from your browser." />
  <link rel="stylesheet" href="${paths.try}/swagger-ui.css" />
  <link rel="stylesheet" href="${paths.try}/try.css" />
</head>
<body>
  <header class="try"><a href="${paths.docs}">API reference</a></header>
  <div id="swagger-ui"></div>
  <script src="${paths.try}/try.js"></script>
  <script src="${paths.try}/swagger-ui.js"></script>
  <script>${startScript}</script>
</body>
</html>`;
