import type { FastifyInstance } from 'fastify'

const subjects = ['The printer smokes', 'No invoice for May', 'Login fails', 'A wrong address', 'The parcel is late']
const firms = [
  'Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Gorse', 'Holly', 'Ivy', 'Juniper', 'Larch', 'Maple'
]
const hour = 3_600_000

/** Fills an empty database with two tenants. Returns false where there is one already. */
export async function seed (app: FastifyInstance, password: string): Promise<boolean> {
  return app.dataApi.asSystem().transaction(async tx => {
    const tenants = tx.collection('tenants')
    if (await tenants.count() > 0) return false
    const [acme, bolt] = await tenants.create([{ name: 'Acme' }, { name: 'Bolt' }])
    await fill(tx, Number(acme?.['id']), 'acme', ['Ada', 'Bob', 'Cy'], password)
    await fill(tx, Number(bolt?.['id']), 'bolt', ['Eve', 'Finn'], password)
    return true
  })
}

type Data = ReturnType<FastifyInstance['dataApi']['asSystem']>

/** Fills a tenant. The first of its people is its lead. */
async function fill (
  data: Data, tenantId: number, domain: string, names: readonly string[], password: string
): Promise<void> {
  const people = await data.collection('people').create(names.map((name, index) => ({
    name, email: `${name.toLowerCase()}@${domain}.example`, role: index === 0 ? 'lead' : 'agent', password, tenantId
  })))
  const customers = await data.collection('customers').create(firms.map(firm => ({
    name: firm, email: `office@${firm.toLowerCase()}-${domain}.example`, note: `${firm} pays late.`, tenantId
  })))
  const now = Date.now()
  for (let n = 0; n < 30; n++) {
    const createdAt = new Date(now - (30 - n) * 5 * hour)
    const assignee = n % 4 === 3 ? undefined : people[n % people.length]
    const { id } = await data.collection('tickets').create({
      subject: `${subjects[n % subjects.length]} (${n + 1})`,
      body: 'Please help.',
      state: assignee !== undefined && n % 5 === 0 ? 'closed' : n % 7 === 0 ? 'waiting' : 'open',
      priority: ['low', 'normal', 'high'][n % 3],
      ...n % 2 === 0 && { dueAt: new Date(now + (n - 15) * 8 * hour) },
      ...n % 3 === 0 && { cost: `${n * 10}.50` },
      createdAt,
      customerId: customers[n % customers.length]?.['id'],
      ...assignee && { assigneeId: assignee['id'] },
      tenantId
    })
    if (n % 3 > 0) continue
    await data.collection('comments').create({
      text: 'We are looking into it.',
      internal: n % 2 === 0,
      createdAt,
      authorId: people[n % people.length]?.['id'],
      ticketId: id
    })
  }
}
