type Files = Readonly<Record<string, string>>;

/** Names that the commands of the corpora use. What is in them does not matter to the gate. */
const named = `
  a.txt b.txt notes.txt notes.md files.txt words.txt names.txt ids.txt numbers.txt report.txt output.txt versions.txt
  old.txt new.txt base.txt mine.txt yours.txt a.csv b.csv data.csv a.json b.json index.html prog.awk script.sed prog.jq
  tsconfig.json tsconfig.base.json package-lock.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml VERSION Makefile
  Cargo.toml go.mod go.sum pyproject.toml requirements.txt setup.py pom.xml composer.json Dockerfile docker-compose.yml
  CHANGELOG.md CONTRIBUTING.md CLAUDE.md AGENTS.md README.ja.md openapi.yaml openapi.json app.py settings.py script.js
  script.py main.go manage.py .nvmrc .eslintrc.json .dockerignore .github/CODEOWNERS .github/workflows/ci.yml
  .github/workflows/deploy.yml .github/workflows/release.yml .vscode/settings.json
  src/a.ts src/b.ts src/app.ts src/app.test.ts src/config.ts src/index.ts src/server.ts src/session.ts src/util.ts
  src/version.ts src/old.ts src/new.ts src/auth/login.ts src/auth/session.ts src/api/users.ts src/api/orders.ts
  src/server/router.ts src/components/Button.tsx src/components/AddressForm.jsx src/pages/[id].tsx
  src/app/[locale]/page.tsx src/utils/date.ts src/utils/format.ts src/compiler/checker.ts src/core/github/issue.ts
  src/main.rs src/lib.rs src/parser.rs src/main.c src/buffer.c src/lexer.c src/engine.cpp src/main.go src/a.py src/b.py
  src/main/java/com/acme/App.java src/main/java/com/acme/orders/OrderService.java src/i18n/locales/de.json
  app/main.py app/config.py app/views.py app/models.py app/models/order.rb app/Models/User.php app/forms/login.py
  cmd/root.go cmd/server/main.go internal/store/store.go internal/store/store_test.go include/buffer.h lib/parser.rb
  crates/core/src/lib.rs crates/cli/src/main.rs packages/core/package.json packages/core/src/index.ts
  packages/web/package.json packages/legacy/src/index.ts tests/conftest.py tests/test_app.py tests/golden/out.txt
  test/app.test.ts spec/order_spec.rb db/schema.rb db/migrations/0001_init.sql k8s/deployment.yaml terraform/main.tf
  config/app.yml config/default.json config/sample.ini config/app.conf config/staging/app.yml config/production/app.yml
  docs/api.md docs/intro.md docs/old.md docs/old/a.md docs/quotes.md docs/checklist.md docs/x
  scripts/deploy.sh scripts/env.sh scripts/migrate.sh scripts/release.sh scripts/run.sh scripts/cmd.txt scripts/ls
  data/customers.csv data/orders.csv data/users.json data/events.jsonl data/sample.txt data/a.bin data/b.bin data/app.db
  assets/logo.png assets/icon.png fixtures/header.bin fixtures/before/a.txt fixtures/after/a.txt terraform.tfstate
  patches/fix.patch fix.patch x.patch cat ls bin/cat bin/tool
`
  .trim()
  .split(/[ \n]+/);

/** In the first commit. */
export const projectFiles: Files = {
  ...Object.fromEntries(named.map((name) => [name, `${name}\n`])),
  "README.md": "# Shop\n\nA small shop.\n",
  "package.json":
    '{\n  "name": "shop",\n  "version": "1.2.0",\n  "scripts": { "build": "tsc", "test": "vitest run" }\n}\n',
  "docs/Getting Started.md": "# Getting started\n",
  ".claude/settings.json": "{}\n",
  "test/fixtures/tls.key": pem("RSA PRIVATE KEY"),
  "test/fixtures/.env.defaults": "PORT=3000\n",
  ".gitignore": ".env.local\nnode_modules\ndist\nlogs\n",
};

/** Committed by mistake once, and no longer tracked. None of them opens anything. */
export const committedSecrets: Files = {
  ".env": "API_KEY=not-a-real-key\nPRIVATE_KEY=not-a-real-key\n",
  "deploy/id_rsa": pem("OPENSSH PRIVATE KEY"),
  "deploy/server.key": pem("RSA PRIVATE KEY"),
  "deploy/server.pem": pem("PRIVATE KEY"),
  "config/credentials.json": '{ "password": "not-a-real-password" }\n',
  "config/.Env": "API_KEY=not-a-real-key\n",
  ".env.production": "API_KEY=not-a-real-key\n",
  ".npmrc": "//registry.npmjs.org/:_authToken=not-a-real-token\n",
};

/** Never committed. */
export const untrackedFiles: Files = {
  ".env.local": "API_KEY=not-a-real-key\n",
  ".env.example": "API_KEY=\n",
  ".netrc": "machine example.com login ada password not-a-real-password\n",
  ".aws/credentials": "aws_secret_access_key = not-a-real-key\n",
  ".ssh/id_ed25519": pem("OPENSSH PRIVATE KEY"),
  "logs/app.log": "INFO started\nERROR failed\n",
  "logs/build.log": "done\n",
  "logs/server.log": "listening\n",
  "logs/access.log": "GET / 200\n",
  "dist/index.js": "export {};\n",
  "dist/main.js": "export {};\n",
  "dist/bundle.js": "export {};\n",
  "build/app": "x\n",
  "coverage/coverage-summary.json": "{}\n",
  "node_modules/react/package.json": '{ "name": "react" }\n',
  "node_modules/typescript/package.json": '{ "name": "typescript" }\n',
  "node_modules/.bin/tsc": "#!/usr/bin/env node\n",
};

/** Beside the project: a home directory, and neighbours whose names begin like the project's. */
export const outsideFiles: Files = {
  "home/.ssh/id_rsa": pem("OPENSSH PRIVATE KEY"),
  "home/.aws/credentials": "aws_secret_access_key = not-a-real-key\n",
  "home/.bashrc": "",
  "home/.bash_history": "ls\n",
  "home/.gitconfig": "[user]\n\tname = Ada\n",
  "home/notes.txt": "private\n",
  "project-evil/secret.txt": "private\n",
  "projectx/secret.txt": "private\n",
  "outside/x": "private\n",
  "outside.txt": "private\n",
  "notes.txt": "private\n",
};

/** Name in the project, and what it leads to. */
export const links: Files = {
  linkdir: "/etc",
  "link-outside": "/etc/hostname",
  "docs/link-outside": "../../outside",
  "docs/env-link": "../.env",
  "docs/agent-config": "../.claude/settings.json",
  "docs/loop-a": "loop-b",
  "docs/loop-b": "loop-a",
  "link-dangling": "../not-there.txt",
  "docs/link-dangling": "../../not-there.txt",
};

function pem(kind: string): string {
  return `-----BEGIN ${kind}-----\nbm90IGEga2V5\n-----END ${kind}-----\n`;
}
