import { runGroup } from '../helpers/groups.ts'

runGroup('streams')
