import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

// npm run release -- minor: dates the change log, sets the version, commits and tags. The tag is what
// .github/workflows/release.yml publishes, with provenance. Nothing leaves this machine.

const [kind = ''] = process.argv.slice(2)
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim()
const fail = message => {
  console.error(message)
  process.exit(1)
}

if (!/^(?:major|minor|patch|\d+\.\d+\.\d+)$/.test(kind)) fail('write: npm run release -- major, minor, patch or 1.2.3')
if (run('git', 'status', '--porcelain') !== '') fail('commit first: there are changes')
const changes = readFileSync('CHANGELOG.md', 'utf8')
const [heading] = /^## .+ \(unreleased\)$/m.exec(changes) ?? fail('CHANGELOG.md has no section (unreleased)')

const version = run('npm', 'version', kind, '--no-git-tag-version', '--allow-same-version').slice(1)
const [day] = new Date().toISOString().split('T')
writeFileSync('CHANGELOG.md', changes.replace(heading, `## ${version} (${day})`))
run('git', 'commit', '--all', '--message', `package: ${version}`)
run('git', 'tag', '--annotate', `v${version}`, '--message', version)
console.log(`v${version} is committed and tagged. To publish: git push --follow-tags`)
