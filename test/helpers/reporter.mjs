// A reporter for tap: failures as they come, where the time went, then one closing line that a CI can read.
import { PassThrough } from 'node:stream'
import { Parser } from 'tap-parser'
import { postgresCosts, readCosts } from './costs.mjs'
import { cpuSeconds } from './cpu-seconds.mjs'

export default class Closing extends PassThrough {
  #passed = 0
  #failed = 0
  #skipped = 0
  #parser = new Parser()

  constructor () {
    super({ readableHighWaterMark: 1 })
    this.#follow(this.#parser, [])
  }

  #follow (parser, path) {
    let children = 0
    parser.on('child', child => {
      children++
      this.#follow(child, [...path, child.name])
    })
    parser.on('assert', assertion => {
      // The assertion that sums up a child has been counted inside it, unless it is the one that failed.
      if (children > 0) {
        children--
        if (assertion.ok) return
      }
      this.#count(assertion, path)
    })
  }

  #count ({ ok, skip, todo, name, diag }, path) {
    if (skip || todo) this.#skipped++
    else if (ok) this.#passed++
    else {
      this.#failed++
      process.stderr.write(`FAIL ${[...path, name].join(' > ')}\n${diag ? `${JSON.stringify(diag, null, 2)}\n` : ''}`)
    }
  }

  /** Counts the failure of a run whose tests have all passed. tap has looked at their coverage by now. */
  #countRun () {
    if (this.#failed > 0 || !process.exitCode) return
    this.#failed++
    process.stderr.write('FAIL the run itself: its coverage is less than .taprc asks for, or tap says why above\n')
  }

  /** The CPU seconds of the ten dearest files, of PostgreSQL, and of the whole run. */
  #spent () {
    const costs = readCosts()
    const server = costs.find(([name]) => name === postgresCosts)?.[1] ?? 0
    const dearest = costs.filter(([name]) => name !== postgresCosts).slice(0, 10)
    return [...dearest, [postgresCosts, server], ['the whole run', cpuSeconds() + server]]
      .map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} CPU s  ${name}\n`).join('')
  }

  _transform (chunk, _encoding, done) {
    this.#parser.write(chunk)
    done()
  }

  _flush (done) {
    this.#parser.end()
    this.#countRun()
    done(null, `${this.#spent()}${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped\n`)
  }
}
