import { runGroup } from '../helpers/groups.ts'

runGroup('contract')
