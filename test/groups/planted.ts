import { runGroup } from '../helpers/groups.ts'

runGroup('planted')
